// Tests that a component that throws ends the program with its error.
// Draws the root component around a screen that throws on demand.

import { expect, onTestFinished, test } from "vitest";
import { FakeScreen, sampleFrame } from "../support/fake-screen.tsx";
import { openTree, programOf } from "../support/render.tsx";

test("reports an error in a component and removes its screen", async () => {
  // React prints the error too. A spy fails after an Ink instance ended early.
  const { error } = console;
  console.error = () => {};
  onTestFinished(() => {
    console.error = error;
  });
  const frame = sampleFrame();
  const chat = new FakeScreen("chat", "Chat");
  const broken = Object.assign(new FakeScreen("server", "Server"), {
    Body: (): never => {
      throw new Error("a figure is missing");
    },
  });
  frame.start([chat, broken]);
  const errors: string[] = [];
  const onError = ({ message }: Error) => errors.push(message);
  const screen = openTree(programOf(frame, "window", onError), 60, 16);
  await screen.until("first line");
  expect(errors).toEqual([]);
  screen.type("3");
  await screen.until(() => errors.length > 0);
  expect(errors).toEqual(["a figure is missing"]);
  await screen.until((now) => now.text.trim() === "");
});
