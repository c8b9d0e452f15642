// Tests the numbers of tabs, and that narrow windows show every tab.
// Draws a frame around scripted screens and reads its first row.

import { expect, test } from "vitest";
import type { Screen } from "../../../source/ui/frame/screen.ts";
import { FakeScreen, sampleFrame } from "../support/fake-screen.tsx";
import { frameLines } from "../support/render.tsx";

const all = [
  ["chat", "Chat"],
  ["models", "Models"],
  ["server", "Server"],
  ["deploy", "Deploy"],
  ["console", "Console"],
] as const;

function open(screens: readonly Screen[], columns: number, program?: string) {
  const size = () => ({ columns, rows: 24 });
  const frame = sampleFrame({ size, ...(program !== undefined && { program }) });
  frame.start(screens);
  const tabs = () => frameLines(frame)[0];
  return { frame, tabs };
}

test("five tabs keep their names when the program's name no longer fits", () => {
  const screens = all.map(([id, title]) => new FakeScreen(id, title));
  expect(open(screens, 80).tabs()).toBe(
    " modelctl  [1 Chat]  2 Models   3 Server   4 Deploy   5 Console",
  );
  const narrow = open(screens, 60);
  expect(narrow.tabs()).toBe(" [1 Chat]  2 Models   3 Server   4 Deploy   5 Console");
  narrow.frame.press({ kind: "key", name: "Alt+5" });
  expect(narrow.tabs()).toBe("  1 Chat   2 Models   3 Server   4 Deploy  [5 Console]");
});

test("with fewer tabs each keeps its number and key", () => {
  const console = new FakeScreen("console", "Console");
  const { frame, tabs } = open([new FakeScreen("chat", "Chat"), console], 80, "deployctl");
  expect(tabs()).toBe(" deployctl  [1 Chat]  5 Console");
  frame.press({ kind: "key", name: "Alt+2" });
  expect(frame.current?.id).toBe("chat");
  frame.press({ kind: "key", name: "Alt+5" });
  expect(frame.current?.id).toBe("console");
});
