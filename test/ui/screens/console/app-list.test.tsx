// Tests that deployments show state, rates and reasons, and that only visible ones are computed.

import { describe, expect, test } from "vitest";
import type { AppState } from "../../../../source/cloud/admin/documents.ts";
import { createEditorState } from "../../../../source/ui/editor/editor-state.ts";
import { fieldWith } from "../../../../source/ui/editor/line-field.ts";
import { noFigures } from "../../../../source/ui/screens/console/app-figures.ts";
import { AppList } from "../../../../source/ui/screens/console/app-list.tsx";
import type { ConsoleState } from "../../../../source/ui/screens/console/console-state.ts";
import { openTree, renderAt } from "../../support/render.tsx";
import { sampleApp } from "./sample-cloud.ts";
import { consoleState, now } from "./sample-state.ts";

function list(state: ConsoleState, { width = 110, height = 12, y = 0 } = {}) {
  return <AppList state={state} width={width} height={height} now={now} y={y} />;
}

function textOf(state: ConsoleState, width = 110): string {
  return renderAt(list(state, { width }), { columns: width }).text();
}

test("a row has state, replicas, rates, errors and revision", () => {
  const apps = [sampleApp({ createdAt: now - 7_200_000 })];
  expect(textOf(consoleState({ apps }))).toMatch(
    /> tiny +● ready +1\/2 +3\.1 +0 +0 +620 ms +4% +2% r0002 +2h/,
  );
});

test.each<[AppState, string]>([
  ["COLD", "○ cold"],
  ["ASLEEP", "○ asleep"],
  ["STARTING", "◐ starting"],
  ["READY", "● ready"],
  ["DEGRADED", "! degraded"],
  ["CRASH_BACKOFF", "✗ crashing"],
  ["UNSCHEDULABLE", "✗ no room"],
  ["ROLLING", "◐ rolling"],
  ["PAUSED", "⊘ stopped"],
  ["DELETING", "◐ deleting"],
  ["DELETED", "⊘ deleted"],
  ["FAILED", "✗ failed"],
])("%s has a symbol and a word", (state, words) => {
  expect(textOf(consoleState({ apps: [sampleApp({ state })] }), 60)).toContain(words);
});

test("a bad state shows its reason, or the work in progress", () => {
  const apps = [sampleApp({ state: "FAILED", reason: "No module named torchvision" })];
  expect(textOf(consoleState({ apps }))).toContain("! tiny: No module named torchvision");
  const works = { "local/tiny": "start: waiting for a replica" };
  const shown = textOf(consoleState({ apps }, { works }));
  expect(shown).toContain("◐ tiny: start: waiting for a replica");
  expect(shown).not.toContain("torchvision");
  const ended = textOf(consoleState({ apps }, { works: { "local/tiny": undefined } }));
  expect(ended).toContain("torchvision");
});

test("scaling and temporary deployments are marked as such", () => {
  const replicas = { wanted: 3, alive: 1, ready: 1 };
  const shown = textOf(consoleState({ apps: [sampleApp({ replicas, isEphemeral: true })] }));
  expect(shown).toContain("1→3");
  expect(shown).toContain("tiny (run)");
});

test("a narrow table keeps name, state, replicas and rates", () => {
  const shown = textOf(consoleState(), 60);
  expect(shown).toMatch(/NAME +STATUS +REPLICAS +REQ\/S .*ERR/);
  expect(shown).not.toContain("TTFB");
});

test("an empty table says that nothing is deployed", () => {
  expect(textOf(consoleState({ apps: [] }, { pane: "keys" }))).toContain("No deployments yet.");
});

describe("a filter", () => {
  const apps = ["embed", "tiny", "tiny-2"].map((app) => sampleApp({ app }));

  test("shows itself and the total number", () => {
    const shown = textOf(consoleState({ apps }, { filter: "tin" }));
    expect(shown).toContain("Deployments · filter: tin");
    expect(shown).toContain("1 of 2 (3 total)");
    expect(shown).not.toContain("embed");
  });

  test("matches states, and says when nothing matches", () => {
    expect(textOf(consoleState({ apps }, { filter: "READY" }))).toContain("1 of 3");
    expect(textOf(consoleState({ apps }, { filter: "zzz" }))).toContain(
      "No deployment matches 'zzz'. Esc shows all.",
    );
  });

  test.each([60, 110])("is typed in the title, at %i columns", async (width) => {
    for (const text of ["", "tin", "x".repeat(70)]) {
      const editor = fieldWith(createEditorState(), text);
      const state = consoleState({ apps }, { filter: text, field: { editor, before: "" } });
      const screen = openTree(list(state, { width }), width, 20);
      await screen.until(`filter: ${text.slice(0, 20)}`);
      const [title = ""] = screen.lines;
      const x = title.indexOf("filter: ") + "filter: ".length;
      const visible = Math.min(text.length, width === 60 ? 31 : 39);
      await screen.until(({ cursor }) => cursor.x === x + visible && cursor.y === 0);
      expect(title).toHaveLength(width);
    }
  });
});

test("rows follow the selection, and of 200 deployments only the visible ones are computed", () => {
  let looks = 0;
  const figuresOf = () => {
    looks += 1;
    return noFigures;
  };
  const apps = Array.from({ length: 200 }, (_, index) => sampleApp({ app: `app-${index}` }));
  const { selected } = consoleState();
  const state = consoleState(
    { apps, figuresOf },
    { selected: { ...selected, apps: { name: "local/app-150", index: 150 } } },
  );
  const shown = renderAt(list(state, { height: 16 }), { columns: 110 });
  looks = 0;
  shown.rerender(list(state, { height: 16 }));
  const inSight = shown.lines().filter((row) => /app-\d+ +● ready/.test(row)).length;
  expect(shown.text()).toContain("> app-150");
  expect(shown.text()).toContain("151 of 200");
  expect(inSight).toBe(13);
  // A call for each rate of each row.
  expect(looks).toBe(inSight * 4);
});
