// Tests that one row shows the current work or a notice, at any width.

import { expect, test } from "vitest";
import { Store } from "../../../../source/base/store.ts";
import type { ChatState } from "../../../../source/ui/screens/chat/chat-state.ts";
import { StatusLine } from "../../../../source/ui/screens/chat/status-line.tsx";
import { renderAt } from "../../support/render.tsx";
import { sampleView } from "./sample-view.ts";

function drawn(state: Partial<ChatState>, columns = 60): string[] {
  return renderAt(<StatusLine chat={sampleView({ state })} columns={columns} />, {
    columns,
  }).lines();
}

test("the fill of the window is a bar if there is room", () => {
  expect(drawn({ contextTokens: 2048 })).toEqual([" ● ready · context 2048/4096  ██████░░░░░░"]);
  expect(drawn({ contextTokens: 2048 }, 32)).toEqual([" ● ready · context 2048/4096"]);
});

test("a server that is gone is not ready", () => {
  const watch = new Store({
    link: { kind: "down", sentence: "gone", sinceMs: 0 } as const,
    samples: [],
  });
  const line = <StatusLine chat={sampleView({ watch })} columns={60} />;
  expect(renderAt(line, { columns: 60 }).lines()).toEqual([" ✗ server down · context window 4096"]);
});

test("loading has its own bar", () => {
  const loading = (fraction: number) =>
    ({ phase: { type: "loading", fraction }, elapsedMs: 0 }) as const;
  const half = drawn({ activity: loading(0.5), contextTokens: 10 });
  expect(half).toEqual([" ◐ loading tiny 50 %  ██████░░░░░░"]);
  expect(drawn({ activity: loading(1) })).toEqual([" ◐ loading tiny 99 %  ████████████"]);
});

test("a notice replaces the line, in at most three rows", () => {
  const drawnNotice = (text: string, isWarning: boolean, columns?: number) =>
    drawn({ notice: { text, isWarning } }, columns);
  expect(drawnNotice("Unknown\ncommand", true)).toEqual([" ! Unknown command"]);
  expect(drawnNotice("New chat.", false)).toEqual([" New chat."]);
  const rows = drawnNotice("word ".repeat(100), true, 40);
  expect(rows).toHaveLength(3);
  expect(rows.every((row) => row.length <= 40)).toBe(true);
});

test("a notice cannot send control sequences, and is ASCII on an ASCII terminal", () => {
  const chat = sampleView({
    state: { notice: { text: "gone: \u001b[2J", isWarning: true } },
  });
  const { lines } = renderAt(<StatusLine chat={chat} columns={60} />, {
    columns: 60,
    isAscii: true,
  });
  expect(lines()).toEqual([" ! gone: ^[[2J"]);
});
