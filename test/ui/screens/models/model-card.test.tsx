// Tests the cards of the three sources in every state.

import { describe, expect, test } from "vitest";
import { failDownload, startDownload } from "../../../../source/client/download.ts";
import { ModelCard } from "../../../../source/ui/screens/models/model-card.tsx";
import { selectedEntry } from "../../../../source/ui/screens/models/model-entries.ts";
import {
  cardKey,
  type ModelsState,
  notRead,
  received,
} from "../../../../source/ui/screens/models/models-state.ts";
import { type RenderOptions, renderAt } from "../../support/render.tsx";
import { hubModel, loaded, local, nowMs, sampleCard, stateWith } from "./sample-models.ts";

function textOf(state: ModelsState, options: RenderOptions = {}): string {
  const { columns = 52 } = options;
  const card = (
    <ModelCard
      state={state}
      entry={selectedEntry(state)}
      width={columns}
      height={40}
      onExtent={() => {}}
    />
  );
  return renderAt(card, { columns, nowMs, ...options }).text();
}

describe("of a local model", () => {
  const model = local("qwen3:8b");
  const state = stateWith([model], {
    cards: new Map([[cardKey(model), { kind: "loaded", value: sampleCard }]]),
  });

  test("shows what it is, its memory, its origin and what deleting frees", () => {
    const text = textOf(state);
    expect(text).toContain("─ qwen3:8b ─");
    expect(text).toContain("Qwen3 8B");
    expect(text).toContain("licence Apache License");
    expect(text).toContain("arch qwen3 · 36 layers · 8.2B · Q4_K_M");
    expect(text).toContain("supports completion, tools");
    expect(text).toContain("Memory estimate at 8192 context");
    expect(text).toContain("[8192 auto]");
    expect(text).toContain("From y.gguf and 2 more commands");
    expect(text).not.toContain("PARAMETER temperature 0.6");
    expect(text).toContain("Template from gguf, jinja");
    expect(text).toMatch(/Deleting it frees 5 GB; 2 GB shared with/);
    expect(text).toContain("Modified 24 hours ago");
    expect(text).not.toContain("# comment");
    expect(text).not.toContain("many");
  });

  test("shows its estimate while the rest is loading, or an error instead", () => {
    const reading = stateWith([model]);
    expect(textOf(reading)).toContain("loading…");
    expect(textOf(reading)).toContain("Memory estimate");
    const error = new Map([
      [cardKey(model), { kind: "failed", sentence: "The file is damaged." } as const],
    ]);
    expect(textOf({ ...reading, cards: error })).toContain("The file is damaged.");
  });

  test("with an unreadable file says what still works", () => {
    const text = textOf(stateWith([local("broken", { memory: undefined })]));
    expect(text).toContain("Cannot read the model file");
    expect(text).not.toContain("Memory estimate");
  });

  test("that is not fully downloaded says so, or how to resume", () => {
    const download = startDownload("new:latest");
    expect(textOf(stateWith([], { downloads: [download] }))).toContain("Not downloaded yet.");
    const broken = textOf(stateWith([], { downloads: [failDownload(download, "No route.")] }));
    expect(broken).toContain("✗ No route.");
    expect(broken).toContain("Press r to resume");
  });
});

describe("of a model of the hub", () => {
  const hub = (changes: Partial<ModelsState> = {}) =>
    stateWith([], { source: "hub", hub: received([hubModel("org/model")], nowMs), ...changes });
  const offered = [
    { selector: "Q4_K_M", sizeBytes: 5e9, files: 2, hasProjector: true, isDefault: true },
    { selector: "BF16", sizeBytes: 60e9, files: 4, hasProjector: false, isDefault: false },
  ];

  test("shows its facts and loads its quantizations", () => {
    const text = textOf(hub());
    expect(text).toContain("arch qwen3 · 8.2B · 40k context");
    expect(text).toContain("licence apache-2.0");
    expect(text).toContain("12k downloads · 99 likes · 3 days ago");
    expect(text).toContain("loading…");
  });

  test("lists quantizations with sizes and estimated fit", () => {
    const offers = new Map([["hf.co/org/model", { kind: "loaded", value: offered } as const]]);
    const text = textOf(hub({ offers }));
    expect(text).toMatch(/Q4_K_M +5 GB +CPU +vision default/);
    expect(text).toMatch(/BF16 +60 GB +no/);
    expect(text).toContain("Press Enter to pull one");
    const unknown = textOf(hub({ offers, capacity: notRead }));
    expect(unknown).toMatch(/Q4_K_M +5 GB +vision default/);
    // A narrow card cuts the remarks, not the fit.
    expect(textOf(hub({ offers }), { columns: 36 })).toMatch(/Q4_K_M +5 GB +CPU +vision d…/);
  });

  test("whose details cannot be loaded says why", () => {
    const offers = new Map([
      ["hf.co/org/model", { kind: "failed", sentence: "The hub is busy." } as const],
    ]);
    expect(textOf(hub({ offers }))).toContain("The hub is busy.");
    expect(textOf(hub({ offers }))).not.toContain("loading…");
  });

  test("that is gated says how to get access", () => {
    const gated = hub({ hub: received([hubModel("org/gated", { isGated: true })], nowMs) });
    expect(textOf(gated, { columns: 90 })).toContain("set HF_TOKEN");
  });

  test("lists its installed models", () => {
    const here = received([local("hf.co/org/model:Q8_0")], nowMs);
    expect(textOf(hub({ local: here }))).toMatch(/Installed *│\n│ hf\.co\/org\/model:Q8_0/);
  });
});

test("of a loaded model shows memory, requests, time left and options", () => {
  const entry = loaded("qwen3:8b", {
    names: ["qwen3:8b", "mine:latest"],
    requests: { running: 2, waiting: 1 },
    load_options: { num_ctx: 8192, kv_cache_type: "q8_0" },
    process_id: 4711,
  });
  const text = textOf(stateWith([], { source: "running", running: received([entry], nowMs) }));
  expect(text).toContain("5.6 GiB in memory, 100% CPU");
  expect(text).toContain("Context 8192 tokens in each slot");
  expect(text).toContain("Requests 2 running, 1 waiting");
  expect(text).toContain("Keep alive 4 min");
  expect(text).toContain("Serves qwen3:8b, mine");
  expect(text).toMatch(/Loaded with *│\n│ num_ctx 8192 *│\n│ kv_cache_type q8_0/);
  expect(text).toContain("Process 4711");
});

test("of no model is an empty panel", () => {
  const text = textOf(stateWith([]));
  expect(text).toMatch(/^╭─ Model ─+╮\n(│ +│\n)+╰─+╯$/);
});
