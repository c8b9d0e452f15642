// Tests the screen at usual window sizes: list and card side by side, or one of them.

import { describe, expect, test } from "vitest";
import { textWidth } from "../../../../source/base/graphemes.ts";
import { Store } from "../../../../source/base/store.ts";
import { startDownload } from "../../../../source/client/download.ts";
import { ModelsView } from "../../../../source/ui/screens/models/models-screen.tsx";
import { cardKey, type ModelsState } from "../../../../source/ui/screens/models/models-state.ts";
import { openTree, type RenderOptions, renderAt } from "../../support/render.tsx";
import { filtered, local, nowMs, sampleCard, stateWith } from "./sample-models.ts";

interface ViewOptions extends RenderOptions {
  readonly columns: number;
  readonly rows: number;
  readonly onCardExtent?: (lastTop: number) => void;
}

function viewOf(state: ModelsState, options: ViewOptions) {
  const { columns, rows, onCardExtent = () => {}, ...look } = options;
  const store = new Store(state);
  const view = (
    <ModelsView store={store} columns={columns} rows={rows} onCardExtent={onCardExtent} />
  );
  return { store, ...renderAt(view, { columns, nowMs, ...look }) };
}

const model = local("qwen3:8b");
const one = stateWith([model], {
  cards: new Map([[cardKey(model), { kind: "loaded", value: sampleCard }]]),
});

test("a wide window shows the card beside the list", () => {
  const [top = ""] = viewOf(one, { columns: 120, rows: 30 }).lines();
  expect(top).toMatch(/^╭─ Models \(local 1, loaded 0\) ─+╮╭─ qwen3:8b ─+╮$/);
  expect(top.indexOf("qwen3:8b")).toBe(72 + 3);
});

describe("a narrow window", () => {
  const size = { columns: 80, rows: 24 };

  test("has a line about the selected model, and Tab opens the card", () => {
    const { lines, text } = viewOf(one, size);
    expect(text()).not.toContain("Memory estimate");
    expect(lines().at(-1)).toBe(" qwen3 · 8.2B · 8192 context, f16 · Tab card");
  });

  test("shows the focused card in place of the list", () => {
    const { text } = viewOf({ ...one, pane: "card" }, size);
    expect(text()).toContain("Memory estimate");
    expect(text()).not.toContain("Models (");
  });

  test("drops that line when the list needs the room", () => {
    expect(viewOf(one, { columns: 60, rows: 16 }).text()).not.toContain("Tab card");
  });
});

describe("the card", () => {
  const size = { columns: 80, rows: 12 };

  test("is scrolled by rows, never past its end", () => {
    const top = viewOf({ ...one, pane: "card" }, size);
    expect(top.text()).toContain("Qwen3 8B");
    expect(top.text()).toMatch(/\d+ more below/);
    const end = viewOf({ ...one, pane: "card", cardTop: 500 }, size);
    expect(end.lines().at(-2)).toContain("Store modelctl, digest qwen3:8b-dig");
    expect(end.text()).not.toContain("more below");
  });

  test("reports how far it scrolls", () => {
    const extents: number[] = [];
    const onCardExtent = (lastTop: number) => extents.push(lastTop);
    const { text } = viewOf({ ...one, pane: "card" }, { ...size, onCardExtent });
    const below = Number(/(\d+) more below/.exec(text())?.[1]);
    expect(extents).toEqual([below]);
  });
});

test("a change of state is drawn", async () => {
  const { store, shows } = viewOf(one, { columns: 120, rows: 30 });
  store.update({ work: "creating mine" });
  await shows("◐ creating mine");
});

describe.each([
  { columns: 60, rows: 14 },
  { columns: 60, rows: 16 },
  { columns: 80, rows: 22 },
  { columns: 99, rows: 30 },
  { columns: 100, rows: 28 },
  { columns: 250, rows: 78 },
])("$columns x $rows", (size) => {
  const names = Array.from({ length: 60 }, (_, at) => local(`model-${at}:latest`));
  const state = { ...stateWith(names), downloads: [startDownload("hf.co/a/b:latest")] };

  test.each([
    { pane: "list", isAscii: false },
    { pane: "list", isAscii: true },
    { pane: "card", isAscii: false },
    { pane: "card", isAscii: true },
  ] as const)("is filled exactly by the $pane, ASCII: $isAscii", ({ pane, isAscii }) => {
    const { text } = viewOf({ ...state, pane }, { ...size, isAscii });
    const rows = text().split("\n");
    expect(rows).toHaveLength(size.rows);
    const boxed = rows.filter((row) => !row.startsWith(" "));
    expect(boxed.map(textWidth)).toEqual(boxed.map(() => size.columns));
    expect(rows.length - boxed.length).toBeLessThanOrEqual(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    const beyond = isAscii ? /[^\x20-\x7e]/ : /[\x00-\x1f]/;
    expect(rows.join("")).not.toMatch(beyond);
  });
});

test("the cursor is in the filter while it is typed", async () => {
  const typing = { ...filtered(one, "qw3"), isTyping: true };
  const view = (
    <ModelsView store={new Store(typing)} columns={120} rows={30} onCardExtent={() => {}} />
  );
  const screen = openTree(view, 120, 30);
  await screen.until("filter: qw3");
  await screen.until(({ cursor }) => cursor.y === 1);
  expect(screen.lines[1]?.slice(0, screen.cursor.x)).toMatch(/filter: qw3$/);
});
