// What the screen shows: lists, cards, downloads and every state that is not plain sailing.
import { describe, expect, test } from "vitest";
import { plainText, rowWidth } from "../../../../source/ui/panes/styled-row.ts";
import { fieldWith } from "../../../../source/ui/panes/text-field.ts";
import {
  failDownload,
  noteRecord,
  startDownload,
} from "../../../../source/ui/screens/models/download.ts";
import { modelsPicture } from "../../../../source/ui/screens/models/models-picture.ts";
import {
  cameIn,
  cardKey,
  createModelsState,
  failed,
  type ModelsState,
  waitingFor,
  withList,
} from "../../../../source/ui/screens/models/models-state.ts";
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from "../../../../source/ui/theme.ts";
import { capacity, gib, gpu, hubModel, loaded, local, nowMs, stateWith } from "./sample-models.ts";

const wide = { columns: 120, rows: 30 };

function textOf(
  state: ModelsState,
  size = wide,
  { glyphs = unicodeGlyphs, at = nowMs }: { glyphs?: Glyphs; at?: number } = {},
): string {
  const { rows } = modelsPicture(state, size, { glyphs, nowMs: at });
  return rows.map(plainText).join("\n");
}

const one = stateWith([local("qwen3:8b")]);

describe("the list", () => {
  test("shows size, quantization, window, fit and state of each model", () => {
    const state = {
      ...stateWith([local("qwen3:8b"), local("big:latest", { sizeBytes: 40e9 })]),
      running: cameIn([loaded("qwen3:8b")], nowMs),
      capacity: cameIn(capacity({ gpus: [gpu(12 * gib)] }), nowMs),
    };
    const text = textOf(state);
    expect(text).toMatch(/qwen3:8b +5 GB +Q4_K_M +40k +GPU +● loaded/);
    expect(text).toMatch(/big +40 GB/);
    expect(text).toContain("FIT: GPU all layers");
  });

  test("follows the window and the kind of cache at once", () => {
    const tight = {
      ...one,
      capacity: cameIn(capacity({ memory: { totalBytes: 8 * gib, freeBytes: 7 * gib } }), nowMs),
    };
    expect(textOf(tight)).toMatch(/40k +CPU/);
    const longer = { ...tight, choice: { contextLength: 32_768, cacheType: undefined } };
    expect(textOf(longer)).toMatch(/40k +no/);
    const smaller = { ...tight, choice: { contextLength: 32_768, cacheType: "q4_0" as const } };
    expect(textOf(smaller)).toMatch(/40k +CPU/);
    expect(textOf(smaller)).toContain("[q4_0]");
  });

  test("leaves columns out where it is narrow, never the state", () => {
    const text = textOf(
      { ...one, running: cameIn([loaded("qwen3:8b")], nowMs) },
      { columns: 60, rows: 16 },
    );
    expect(text).toContain("● loaded");
    expect(text).not.toContain("CTX");
  });

  test("keeps the end of a long name, which tells models apart", () => {
    const name = "hf.co/some-organisation/Some-Very-Long-Model-Name-30B-A3B-Instruct-GGUF:Q4_K_M";
    expect(textOf(stateWith([local(name)]))).toContain("-GGUF:Q4_K_M");
  });

  test("shows a name that would obey the terminal as signs", () => {
    const text = textOf(stateWith([local("evil\u001b[2Jname:latest")]));
    expect(text).not.toContain("\u001b");
    expect(text).toContain("evil");
  });
});

describe("states that are not plain sailing", () => {
  test("nothing is said before 150 ms, then a skeleton", () => {
    const waiting = {
      ...createModelsState(),
      local: waitingFor(createModelsState().local, nowMs),
    };
    expect(textOf(waiting, wide, { at: nowMs + 100 })).not.toContain("reading manifests");
    expect(textOf(waiting, wide, { at: nowMs + 200 })).toContain("reading manifests…");
  });

  test("an empty store names the keys that help", () => {
    expect(textOf(stateWith([]))).toContain(
      "No models on this machine. ] searches the hub, p pulls by name.",
    );
  });

  test("a filter that matches nothing says so", () => {
    const { filter } = one.lists.local;
    const state = { ...one, ...withList(one, "local", { filter: fieldWith(filter, "zzz") }) };
    expect(textOf(state)).toContain("Nothing matches 'zzz'. Esc clears.");
  });

  test("an error stands over the list, which goes dim with its age", () => {
    const state = { ...one, local: failed(one.local, "No server answers.") };
    const later = { at: nowMs + 42_000 };
    expect(textOf(state, wide, later)).toContain("✗ No server answers. · 42 s ago · r retry");
    expect(textOf(state, wide, later)).toContain("qwen3:8b");
    const { rows } = modelsPicture(state, wide, { glyphs: unicodeGlyphs, nowMs: later.at });
    const row = rows.find((spans) => plainText(spans).includes("> qwen3:8b"));
    const named = row?.find(({ text }) => text.includes("qwen3:8b"));
    expect(named?.tone).toBe("dim");
  });

  test("a hub that cannot be reached leaves the local list alone", () => {
    const hub = failed(createModelsState().hub, "The address of hub cannot be found.");
    const state: ModelsState = { ...one, hub, source: "hub" };
    expect(textOf(state)).toContain("cannot be found. · r retry");
    expect(textOf({ ...state, source: "local" })).toContain("qwen3:8b");
    expect(textOf({ ...state, source: "local" })).not.toContain("cannot be found");
  });
});

describe("the card", () => {
  const model = local("qwen3:8b");
  const description = {
    name: "qwen3:8b",
    description: undefined,
    license: "Apache License\nVersion 2",
    system: undefined,
    parameters: undefined,
    modelfile: '# comment\nFROM /x/y.gguf\nSYSTEM """many\nlines"""\nPARAMETER temperature 0.6',
    template: { origin: "gguf", language: "jinja", reason: "The file has one." },
    info: { "general.name": "Qwen3 8B" },
  };
  const deletion = { name: "qwen3:8b", freedBytes: 5e9, sharedBytes: 2e9, referredBytes: 0 };
  const state = stateWith([model], {
    cards: new Map([[cardKey(model), cameIn({ description, deletion }, nowMs)]]),
  });

  test("tells what it is, what loading takes, how it was made and what deleting frees", () => {
    const text = textOf(state, { columns: 130, rows: 40 });
    expect(text).toContain("Qwen3 8B");
    expect(text).toContain("licence Apache License");
    expect(text).toContain("Memory estimate at 8k context");
    expect(text).toContain("[8192 auto]");
    expect(text).toContain("PARAMETER temperature 0.6");
    expect(text).toContain("Template from gguf, jinja");
    expect(text).toMatch(/Deleting it frees 5 GB; 2 GB stay for other/);
    expect(text).not.toContain("# comment");
  });

  test("takes the list's place in a narrow window, after Tab", () => {
    const size = { columns: 80, rows: 24 };
    expect(textOf(state, size)).not.toContain("Memory estimate");
    expect(textOf(state, size)).toContain("Tab card");
    expect(textOf({ ...state, pane: "card" }, size)).toContain("Memory estimate");
  });

  test("of a gated model of the hub says what is needed", () => {
    const hub = stateWith([], {
      source: "hub",
      hub: cameIn([hubModel("org/gated", { isGated: true })], nowMs),
    });
    expect(textOf(hub)).toContain("set HF_TOKEN");
    expect(textOf(hub)).toContain("asking the hub…");
    expect(textOf(hub)).toMatch(/8\.2B +12k +99 +3 d +gated/);
  });
});

test("a model of the hub is offered with sizes and a first guess at what fits", () => {
  const offered = [
    { selector: "Q4_K_M", sizeBytes: 5e9, files: 2, hasProjector: true, isDefault: true },
    { selector: "BF16", sizeBytes: 60e9, files: 4, hasProjector: false, isDefault: false },
  ];
  const state = stateWith([], {
    source: "hub",
    hub: cameIn([hubModel("org/model")], nowMs),
    offers: new Map([["hf.co/org/model", cameIn(offered, nowMs)]]),
  });
  expect(textOf(state)).toMatch(/Q4_K_M +5 GB +CPU +sees images usual/);
  expect(textOf(state)).toMatch(/BF16 +60 GB +no/);
});

describe("downloads", () => {
  const record = { status: "pulling x", overallTotal: 1000e6, overallCompleted: 430e6 };
  const begun = noteRecord(
    startDownload("hf.co/org/new:Q4_K_M"),
    { ...record, overallCompleted: 330e6 },
    nowMs - 1000,
  );
  const download = noteRecord(begun, record, nowMs);

  test("show share, bytes, speed and time left, in the list and below it", () => {
    const text = textOf(stateWith([], { downloads: [download] }));
    expect(text).toContain("↓ 43%");
    expect(text).toContain("43%  430 MB of 1 GB");
    expect(text).toContain("100 MB/s · 6 s left · sha256 pending");
  });

  test("that failed say why and how to go on", () => {
    const broken = failDownload(download, "org/new is gated: its terms must be accepted.");
    const text = textOf(stateWith([], { downloads: [broken] }));
    expect(text).toContain("✗ failed");
    expect(text).toContain("is gated");
  });
});

test.each([
  { columns: 60, rows: 14 },
  { columns: 80, rows: 22 },
  { columns: 99, rows: 30 },
  { columns: 100, rows: 28 },
  { columns: 250, rows: 78 },
])("fills $columns x $rows exactly, with and without Unicode", (size) => {
  const names = Array.from({ length: 60 }, (_, at) => local(`model-${at}:latest`));
  const state = { ...stateWith(names), downloads: [startDownload("hf.co/a/b:latest")] };
  for (const glyphs of [unicodeGlyphs, asciiGlyphs]) {
    for (const pane of ["list", "card"] as const) {
      const { rows } = modelsPicture({ ...state, pane }, size, { glyphs, nowMs });
      expect(rows.length).toBe(size.rows);
      expect(rows.map(rowWidth)).toEqual(rows.map(() => size.columns));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      const beyond = glyphs.isAscii ? /[^\x20-\x7e]/ : /[\x00-\x1f]/;
      expect(rows.map(plainText).join("")).not.toMatch(beyond);
    }
  }
});

test("the cursor stands in the filter while it is typed", () => {
  const { filter } = one.lists.local;
  const typing = {
    ...one,
    isTyping: true,
    ...withList(one, "local", { filter: fieldWith(filter, "qw3") }),
  };
  const picture = modelsPicture(typing, wide, { glyphs: unicodeGlyphs, nowMs });
  const row = plainText(picture.rows[picture.cursor?.y ?? -1] ?? []);
  expect(row.slice(0, picture.cursor?.x)).toMatch(/filter: qw3$/);
});
