// Tests that a component that throws ends the program with its error.
// Draws the root component around a screen that throws on demand.

import { expect, onTestFinished, test } from "vitest";
import { App } from "../../../source/ui/app/app.tsx";
import { Frame } from "../../../source/ui/frame/frame.ts";
import { Pace } from "../../../source/ui/hooks/pace.ts";
import { unicodeGlyphs } from "../../../source/ui/theme.ts";
import { FakeScreen } from "../support/fake-screen.tsx";
import { openTree } from "../support/render.tsx";

const clock = { now: () => 0, wallMs: () => 0 };

test("reports an error in a component and removes its screen", async () => {
  // React prints the error too. A spy fails after an Ink instance ended early.
  const { error } = console;
  console.error = () => {};
  onTestFinished(() => {
    console.error = error;
  });
  const frame = new Frame({
    glyphs: unicodeGlyphs,
    clock,
    theme: "default",
    terminal: { erase: () => {}, copy: async () => "", edit: async () => "", page: async () => {} },
    size: () => ({ columns: 60, rows: 16 }),
    status: () => "",
    onLeave: () => {},
  });
  const chat = new FakeScreen("chat", "Chat");
  const broken = Object.assign(new FakeScreen("server", "Server"), {
    Body: (): never => {
      throw new Error("a figure is missing");
    },
  });
  frame.start([chat, broken]);
  const errors: string[] = [];
  const screen = openTree(
    <App
      frame={frame}
      pace={new Pace()}
      clock={clock}
      layout="window"
      terminal={{ suspend: undefined, isSuspended: false }}
      onError={({ message }) => errors.push(message)}
    />,
    60,
    16,
  );
  await screen.until("first line");
  expect(errors).toEqual([]);
  screen.type("2");
  await screen.until(() => errors.length > 0);
  expect(errors).toEqual(["a figure is missing"]);
  await screen.until((now) => now.text.trim() === "");
});
