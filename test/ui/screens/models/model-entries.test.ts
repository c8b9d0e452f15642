// Tests which models each list shows, their order, and the selection.
import { describe, expect, test } from "vitest";
import { startDownload } from "../../../../source/client/download.ts";
import { entriesOf, selectedEntry } from "../../../../source/ui/screens/models/model-entries.ts";
import {
  type ModelsState,
  modelNamed,
  received,
  type Source,
  withList,
} from "../../../../source/ui/screens/models/models-state.ts";
import {
  capacity,
  eightB,
  filtered,
  hubModel,
  loaded,
  local,
  nowMs,
  stateWith,
} from "./sample-models.ts";

const names = (state: ModelsState, source: Source = "local") =>
  entriesOf(state, source).map(({ entry }) => entry.name);

const sorted = (state: ModelsState, sort: string): ModelsState => ({
  ...state,
  ...withList(state, state.source, { sort }),
});

const three = stateWith([
  local("qwen3:8b", { modifiedMs: nowMs - 1000 }),
  local("hf.co/org/Qwen3-30B-GGUF:Q4_K_M", {
    sizeBytes: 18e9,
    memory: { ...eightB, weightsBytes: 18e9 },
    modifiedMs: nowMs - 500,
  }),
  local("llama:1b", {
    sizeBytes: 1e9,
    memory: { ...eightB, weightsBytes: 1e9 },
    modifiedMs: nowMs - 2000,
  }),
]);

describe("the filter", () => {
  test("matches letters that are apart, ignoring case", () => {
    expect(names(filtered(three, "qw3"))).toHaveLength(2);
    expect(names(filtered(three, "QW330"))).toEqual(["hf.co/org/Qwen3-30B-GGUF:Q4_K_M"]);
  });

  test("finds all matches among many, equal ones in the list's order", () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      local(`model-${String(at).padStart(4, "0")}:latest`, { modifiedMs: nowMs - at }),
    );
    const found = names(filtered(stateWith(many), "model-01"));
    expect(found.slice(0, 100)).toEqual(many.slice(100, 200).map(({ name }) => name));
  });

  test("returns the matched letters", () => {
    const [found] = entriesOf(filtered(three, "llm"), "local");
    expect(found?.matches.map((at) => found.entry.name[at])).toEqual(["l", "l", "m"]);
  });

  test("shows nothing without a match, and everything for blanks", () => {
    expect(names(filtered(three, "zzz"))).toEqual([]);
    expect(names(filtered(three, "  "))).toHaveLength(3);
  });
});

test("a list stays the same object while its inputs do", () => {
  const list = entriesOf(three, "local");
  const selected = withList(three, "local", { selected: modelNamed("llama:1b") });
  expect(entriesOf({ ...three, ...selected, cardTop: 3, isTyping: true }, "local")).toBe(list);
  const running = { ...three, running: received([loaded("llama:1b")], nowMs) };
  const [entry] = entriesOf(running, "local").filter(({ entry: { name } }) => name === "llama:1b");
  expect(entry?.entry).toMatchObject({ loaded: { name: "llama:1b" } });
});

describe("the order", () => {
  test("is by age, name, size or fit", () => {
    expect(names(three)[0]).toBe("hf.co/org/Qwen3-30B-GGUF:Q4_K_M");
    expect(names(sorted(three, "name"))[1]).toBe("llama:1b");
    expect(names(sorted(three, "size")).at(-1)).toBe("llama:1b");
    // Models that do not fit come last.
    const small = {
      ...three,
      capacity: received(capacity({ memory: { totalBytes: 9e9, freeBytes: 8e9 } }), nowMs),
    };
    expect(names(sorted(small, "fit")).at(-1)).toBe("hf.co/org/Qwen3-30B-GGUF:Q4_K_M");
  });
});

describe("a model of this machine", () => {
  test("is joined with its loaded state, ignoring letter case", () => {
    const state = { ...three, running: received([loaded("QWEN3:8b")], nowMs) };
    const entry = entriesOf(state, "local").find((found) => found.entry.name === "qwen3:8b")?.entry;
    expect(entry).toMatchObject({ loaded: { state: "idle" } });
  });

  test("is listed once while it is downloaded", () => {
    const download = startDownload("hf.co/org/new:latest");
    const coming = { ...three, downloads: [download] };
    expect(names(coming)[0]).toBe("hf.co/org/new:latest");
    const here = stateWith([local("hf.co/org/new:latest")], { downloads: [download] });
    expect(names(here)).toEqual(["hf.co/org/new:latest"]);
  });
});

test("a hub model knows its installed quantizations", () => {
  const state = stateWith([local("hf.co/org/Tiny-GGUF:Q8_0")], {
    source: "hub",
    hub: received([hubModel("org/tiny-gguf"), hubModel("org/tiny-gguf-2")], nowMs),
  });
  const installed = entriesOf(state, "hub").map(({ entry }) =>
    entry.kind === "hub" ? entry.installed : undefined,
  );
  expect(installed).toEqual([["hf.co/org/Tiny-GGUF:Q8_0"], []]);
});

describe("the selection", () => {
  test("stays with its model when the order changes", () => {
    const state = { ...three, ...withList(three, "local", { selected: modelNamed("llama:1b") }) };
    expect(selectedEntry(state)?.name).toBe("llama:1b");
    expect(selectedEntry(sorted(state, "name"))?.name).toBe("llama:1b");
  });

  test("moves to the first when its model is gone, and is empty in an empty list", () => {
    const state = {
      ...three,
      ...withList(three, "local", { selected: modelNamed("gone:latest") }),
    };
    expect(selectedEntry(state)?.name).toBe("hf.co/org/Qwen3-30B-GGUF:Q4_K_M");
    expect(selectedEntry(stateWith([]))).toBeUndefined();
  });
});
