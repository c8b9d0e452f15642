// Tests the list: columns, order of rows, and every empty state.

import chalk from "chalk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDownload } from "../../../../source/client/download.ts";
import { ModelList, SourceBar } from "../../../../source/ui/screens/models/model-list.tsx";
import {
  createModelsState,
  failed,
  type ModelsState,
  modelNamed,
  received,
  waitingFor,
  withList,
} from "../../../../source/ui/screens/models/models-state.ts";
import { openTree, renderAt } from "../../support/render.tsx";
import {
  capacity,
  filtered,
  gib,
  gpu,
  hubModel,
  loaded,
  local,
  nowMs,
  stateWith,
} from "./sample-models.ts";

// Without a terminal there are no colours, and other files share this process.
const levelBefore = chalk.level;
beforeAll(() => {
  chalk.level = 1;
});
afterAll(() => {
  chalk.level = levelBefore;
});

interface ListOptions {
  readonly width?: number;
  readonly height?: number;
  readonly at?: number;
  readonly isAscii?: boolean;
}

function linesOf(state: ModelsState, options: ListOptions = {}): string[] {
  const { width = 72, height = 30, at = nowMs, isAscii = false } = options;
  const list = <ModelList state={state} width={width} height={height} />;
  return renderAt(list, { columns: width, nowMs: at, isAscii }).lines();
}

function textOf(state: ModelsState, options?: ListOptions): string {
  return linesOf(state, options).join("\n");
}

const one = stateWith([local("qwen3:8b")]);
describe("the table", () => {
  test("shows size, quantization, window, fit and state of each model", () => {
    const state = {
      ...stateWith([local("qwen3:8b"), local("big:latest", { sizeBytes: 40e9 })]),
      running: received([loaded("qwen3:8b")], nowMs),
      capacity: received(capacity({ gpus: [gpu(12 * gib)] }), nowMs),
    };
    const text = textOf(state);
    expect(text).toMatch(/ {2}NAME +SIZE QUANT +CTX +TOK\/S FIT +STATE/);
    expect(text).toMatch(/qwen3:8b +5 GB +Q4_K_M +40k +12-18 +GPU +● loaded/);
    expect(text).toMatch(/big +40 GB/);
    expect(text).toContain("FIT: GPU all layers · split some · CPU only · no too big");
    expect(text).toContain("1 of 2, by newest");
  });

  test("follows the window and the cache type at once", () => {
    const tight = {
      ...one,
      capacity: received(capacity({ memory: { totalBytes: 8 * gib, freeBytes: 7 * gib } }), nowMs),
    };
    expect(textOf(tight)).toMatch(/40k +12-18 +CPU/);
    const longer = { ...tight, choice: { contextLength: 32_768, cacheType: undefined } };
    expect(textOf(longer)).toMatch(/40k +12-18 +no/);
    const smaller = { ...tight, choice: { contextLength: 32_768, cacheType: "q4_0" as const } };
    expect(textOf(smaller)).toMatch(/40k +12-18 +CPU/);
  });

  test("drops columns when narrow, never the state", () => {
    const state = { ...one, running: received([loaded("qwen3:8b")], nowMs) };
    const text = textOf(state, { width: 60, height: 16 });
    expect(text).toContain("● loaded");
    expect(text).not.toContain("CTX");
  });

  test("of the hub shows parameters, pulls, likes, age and state", () => {
    const state = stateWith([local("hf.co/org/mine:Q8_0")], {
      source: "hub",
      hub: received([hubModel("org/gated", { isGated: true }), hubModel("org/mine")], nowMs),
    });
    const text = textOf(state);
    expect(text).toMatch(/org\/gated +8\.2B +12k +99 +3 d +gated/);
    expect(text).toMatch(/org\/mine +8\.2B +12k +99 +3 d +installed/);
    expect(text).not.toContain("FIT:");
  });

  test("of loaded models shows processor and time left", () => {
    const state = {
      ...one,
      source: "running" as const,
      running: received([loaded("qwen3:8b", { size_vram: 3e9, state: "busy" })], nowMs),
    };
    expect(textOf(state)).toMatch(/qwen3:8b +5.6 GiB 50%\/50% CPU\/GPU +8192 4 min +◐ busy/);
  });

  test("keeps the end of a long name, which distinguishes models", () => {
    const name = "hf.co/some-organisation/Some-Very-Long-Model-Name-30B-A3B-Instruct-GGUF:Q4_K_M";
    expect(textOf(stateWith([local(name)]))).toContain("-GGUF:Q4_K_M");
  });

  test("escapes control characters in names", () => {
    const text = textOf(stateWith([local("evil\u001b[2Jname:latest")]));
    expect(text).not.toContain("\u001b");
    expect(text).toContain("evil^[[2Jname");
  });

  test("mounts only the rows around the selection", () => {
    const many = stateWith(
      Array.from({ length: 100 }, (_, at) => local(`model-${at}:latest`, { modifiedMs: -at })),
    );
    const state = {
      ...many,
      ...withList(many, "local", { selected: modelNamed("model-50:latest") }),
    };
    const lines = linesOf(state, { height: 20 });
    const names = lines.filter((line) => line.includes("model-"));
    expect(names).toHaveLength(13);
    expect(names.findIndex((line) => line.includes("> model-50"))).toBe(6);
    expect(lines.at(-1)).toContain("51 of 100, by newest");
  });

  test("highlights the letters matched by the filter", async () => {
    const state = filtered(one, "q3");
    const screen = openTree(<ModelList state={state} width={72} height={20} />, 72, 20);
    await screen.until("> qwen3:8b");
    expect(screen.bytes).toMatch(/\[33mq.*wen.*\[33m3.*:8b/);
  });
});

describe("without models", () => {
  test("shows nothing during a short wait, and placeholder rows during a long one", () => {
    const short = waitingFor(createModelsState().local);
    const long = { ...createModelsState(), local: { ...short, wait: "long" } } as const;
    expect(textOf({ ...long, local: short })).not.toContain("loading models");
    expect(textOf(long)).toMatch(/◐ loading models….*\n│ {3}─{18} /);
    const ascii = textOf(long, { isAscii: true });
    expect(ascii).toMatch(/~ loading models~.*\n\| {3}-{18} /);
  });

  test("in an empty store names the keys to press", () => {
    expect(textOf(stateWith([]))).toContain(
      "No models installed. Press ] to search the hub, p to pull by name.",
    );
    expect(textOf(stateWith([], { source: "hub" }))).toContain("Press / to search the hub");
    expect(textOf(stateWith([], { source: "running" }))).toContain("No models loaded.");
  });

  test("says that nothing matches the filter", () => {
    expect(textOf(filtered(one, "zzz"))).toContain("No matches for 'zzz'. Press Esc to clear.");
  });
});

describe("an error", () => {
  test("is shown above the list, which dims with its age", async () => {
    // Trees are drawn at time 0.
    const models = received([local("qwen3:8b")], -42_000);
    const state = { ...one, local: failed(models, "No server answers.") };
    const text = textOf(state, { at: 0 });
    expect(text).toContain("✗ No server answers. · 42 s ago · r retry");
    expect(text).toContain("Models (local 1, loaded 0, 42 s ago)");
    expect(text).toContain("> qwen3:8b");
    const screen = openTree(<ModelList state={state} width={72} height={20} />, 72, 20);
    await screen.until("> qwen3:8b");
    expect(screen.bytes).toMatch(/\[2mqwen3:8b/);
    expect(screen.bytes).toMatch(/\[2mCPU/);
  });

  test("that is new keeps the figures as they are", () => {
    const state = { ...one, local: failed(one.local, "No server answers.") };
    expect(textOf(state, { at: nowMs + 5000 })).toContain("✗ No server answers. · r retry");
  });

  test("of the hub does not affect the local list", () => {
    const hub = failed(createModelsState().hub, "The address of hub cannot be found.");
    const state: ModelsState = { ...one, hub, source: "hub" };
    expect(textOf(state)).toContain("cannot be found. · r retry");
    expect(textOf({ ...state, source: "local" })).toContain("qwen3:8b");
    expect(textOf({ ...state, source: "local" })).not.toContain("cannot be found");
  });
});

describe("the sources", () => {
  const empty = createModelsState();
  const barOf = (state: ModelsState, width = 60) =>
    renderAt(<SourceBar state={state} width={width} />, { columns: width }).text();

  test("have the open one in brackets, and no field until one is opened", () => {
    expect(barOf(empty)).toBe("[Local]  Hub   Running");
    expect(barOf({ ...empty, source: "running" })).toBe(" Local   Hub  [Running]");
  });

  test("have a field while typing and while filtering", () => {
    expect(barOf({ ...empty, isTyping: true })).toBe("[Local]  Hub   Running   filter:");
    const hub = filtered({ ...empty, source: "hub" }, "qwen");
    expect(barOf(hub)).toBe(" Local  [Hub]  Running   search: qwen");
  });

  test("show the end of a text that is too long", () => {
    const state = { ...filtered(empty, "a long text to look for"), isTyping: true };
    expect(barOf(state, 45)).toBe("[Local]  Hub   Running   filter: to look for");
  });
});

test("work in progress is shown below the list", () => {
  const downloads = [startDownload("hf.co/org/new:Q8_0")];
  const lines = linesOf({ ...one, downloads, work: "creating mine: 40%" }, { height: 20 });
  expect(lines.slice(-6).map((line) => line.slice(2, 40).trim())).toEqual([
    "",
    "◐ creating mine: 40%",
    "Downloads",
    "hf.co/org/new:Q8_0",
    "pulling manif",
    expect.stringMatching(/^─+$/),
  ]);
});
