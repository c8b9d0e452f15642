// Tests that the log shows its newest lines and its filters, and computes only visible lines.

import { describe, expect, test } from "vitest";
import { textWidth } from "../../../../source/base/graphemes.ts";
import type { LogDocument } from "../../../../source/cloud/admin/documents.ts";
import type { ConsoleState } from "../../../../source/ui/screens/console/console-state.ts";
import { LogBuffer } from "../../../../source/ui/screens/console/log-buffer.ts";
import { LogPane } from "../../../../source/ui/screens/console/log-pane.tsx";
import { renderAt } from "../../support/render.tsx";
import { sampleLine } from "./sample-cloud.ts";
import { consoleState, logOf } from "./sample-state.ts";

function pane(log: LogBuffer, choices: Partial<ConsoleState> = {}) {
  const state = consoleState({}, { pane: "logs", ...choices });
  return <LogPane state={state} log={log} width={60} height={12} y={0} />;
}

function linesOf(log: LogBuffer, choices: Partial<ConsoleState> = {}): string[] {
  return renderAt(pane(log, choices), { columns: 60 }).lines();
}

test("a line follows its time, its replica and the sign of its stream", () => {
  const log = new LogBuffer();
  log.push(sampleLine({ text: "usual" }));
  log.push(sampleLine({ text: "bad", stream: "stderr" }));
  log.push(sampleLine({ text: "started", stream: "event" }));
  const [title, ...lines] = linesOf(log);
  expect(title).toContain("tiny · log");
  expect(lines[0]).toMatch(/\d\d:\d\d:\d\d aaaabbbb {3}usual/);
  expect(lines[1]).toContain("aaaabbbb   bad");
  expect(lines[2]).toContain("aaaabbbb * started");
  expect(lines.at(-1)).toContain("3 lines · FOLLOW");
});

test("the title shows the filters, and the lower border the number of new lines", () => {
  const log = logOf(...Array.from({ length: 30 }, (_, index) => `line ${index}`));
  log.setFilters({ text: "line" });
  log.setFilters({ replica: "aaaabbbb" });
  log.scroll(-5, 10);
  log.push(sampleLine({ seq: 31, text: "line 31" }));
  const lines = linesOf(log);
  expect(lines[0]).toContain("log · aaaabbbb · filter: line");
  expect(lines.at(-1)).toContain("+1 · End follows");
  log.clearFilters();
  log.nextStream();
  expect(linesOf(log)[0]).toContain("log · stderr");
});

test("an empty log differs from one without matches", () => {
  const log = new LogBuffer();
  expect(linesOf(log)[1]).toContain("No log lines yet.");
  log.push(sampleLine());
  log.setFilters({ text: "zzz" });
  expect(linesOf(log)[1]).toContain("No matching lines. Esc shows all.");
});

test("long lines are cut, or wrapped at blanks", () => {
  const log = logOf(`${"word ".repeat(20)}end`);
  expect(linesOf(log)[1]).toMatch(/word word …/);
  expect(renderAt(pane(log), { columns: 60, isAscii: true }).lines()[1]).toMatch(/~ /);
  const [, first = "", second = "", third = ""] = linesOf(log, { isWrapped: true });
  expect(first).toContain("aaaabbbb");
  expect(second).toMatch(/^│ {21}word/);
  expect(third).toContain("word");
  expect([first, second, third].join("")).not.toContain("…");
});

describe("in a flood", () => {
  test.each([false, true])("only the visible lines are computed (wrapped: %s)", (isWrapped) => {
    let looks = 0;
    const log = new LogBuffer();
    for (let index = 0; index < 5000; index += 1) {
      const line: LogDocument = sampleLine({ seq: index });
      const get = () => {
        looks += 1;
        return 1_700_000_000_000;
      };
      log.push(Object.defineProperty(line, "ts", { get }));
    }
    const shown = renderAt(pane(log, { isWrapped }), { columns: 60 });
    expect(shown.lines()).toHaveLength(12);
    // Rows whose lines stay are not drawn again.
    expect(looks).toBeLessThanOrEqual(10);
  });

  test("a line of a megabyte is cut before layout, and fits", () => {
    const log = logOf("x".repeat(1_000_000), "x".repeat(1_000_000), "x".repeat(1_000_000));
    for (const isWrapped of [false, true]) {
      const lines = linesOf(log, { isWrapped });
      expect(Math.max(...lines.map(textWidth))).toBe(60);
      expect(lines).toHaveLength(12);
    }
  });
});

test("colours in log lines are removed; other control characters are escaped", () => {
  const log = logOf("\u001b[1;31mred\u001b[0m \u001b[2Jgone\u0007");
  expect(linesOf(log)[1]).toContain("red ^[[2Jgone^G");
});
