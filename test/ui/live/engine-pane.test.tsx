// Tests that the pane shows known figures only, and says when the server is gone.

import { describe, expect, test } from "vitest";
import { Store } from "../../../source/base/store.ts";
import type { WatchedServer } from "../../../source/client/live/server-watch.ts";
import type { ServerSample } from "../../../source/client/metrics.ts";
import type { ConversationFigures } from "../../../source/ui/live/engine-figures.ts";
import {
  EngineLine,
  EnginePane,
  enginePaneHeight,
  enginePlace,
} from "../../../source/ui/live/engine-pane.tsx";
import { renderAt } from "../support/render.tsx";
import { serverSample } from "../support/server-samples.ts";

const gibibyte = 2 ** 30;
const now = 1_000_000;

const sample = serverSample();

const gpu = {
  name: "A card",
  load: 0.87,
  memoryUsedBytes: 6.9 * gibibyte,
  memoryTotalBytes: 12 * gibibyte,
  temperatureCelsius: 71,
};

const conversation = {
  model: "qwen3-8b",
  ttftMs: 182,
  ttftMedianMs: 171,
  promptTokensPerSecond: 1204,
  tokensPerSecond: 61.2,
  contextTokens: 4800,
  contextLength: 8192,
};

const nothing = {
  model: "qwen3-8b",
  ttftMs: undefined,
  ttftMedianMs: undefined,
  promptTokensPerSecond: undefined,
  tokensPerSecond: undefined,
  contextTokens: undefined,
  contextLength: undefined,
};

interface Facts {
  readonly conversation?: ConversationFigures;
  readonly samples?: readonly ServerSample[];
  /** Age of the newest sample of a server that is down. */
  readonly staleMs?: number;
}

function watchOf({ samples = [sample], staleMs }: Facts): Store<WatchedServer> {
  const link: WatchedServer["link"] =
    staleMs === undefined ? { kind: "up" } : { kind: "down", sentence: "gone", sinceMs: 0 };
  return new Store<WatchedServer>({
    link,
    samples: samples.map((one) => ({ ...one, time: now - (staleMs ?? 0) })),
  });
}

/** The whole pane as drawn, borders included. */
function pane(facts: Facts = {}, isAscii = false): string[] {
  const tree = (
    <EnginePane
      watch={watchOf(facts)}
      conversation={facts.conversation ?? conversation}
      rows={40}
    />
  );
  return renderAt(tree, { isAscii, nowMs: now }).lines();
}

/** The rows inside its borders. */
function rows(facts: Facts = {}): string[] {
  return pane(facts)
    .slice(1, -1)
    .map((row) => row.slice(2, -2).trimEnd());
}

describe("the pane", () => {
  test("has one row for each quantity", () => {
    expect(rows()).toEqual([
      "qwen3-8b              ◐ busy",
      expect.stringMatching(/^tok\/s +█ +61\.2$/),
      "TTFT    182 ms (p50 171 ms)",
      "prefill 1204 tok/s",
      expect.stringMatching(/^Context █+░+ 4800\/8192$/),
      "KV      1.5 GiB  q8_0",
      "Slots   ■■□□  2 of 4 busy",
      "Queue   1 waiting",
      expect.stringMatching(/^CPU +▄ +42%$/),
      expect.stringMatching(/^RAM .* 18\.2\/64\.0 GiB$/),
    ]);
  });

  test("shows GPUs, or the processor if there is none", () => {
    const text = rows({ samples: [{ ...sample, gpus: [gpu] }] }).join("\n");
    expect(text).toMatch(/GPU0 +▇ +87% {2}71°C/);
    expect(text).toMatch(/VRAM +\S+ 6\.9\/12\.0 GiB/);
    expect(text).not.toContain("CPU");
    const hot = rows({ samples: [{ ...sample, cpuCelsius: 55.4 }] }).join("\n");
    expect(hot).toMatch(/CPU +▄ +42% {2}55°C/);
    const many = rows({ samples: [{ ...sample, gpus: [gpu, gpu, gpu, gpu] }] }).join("\n");
    expect(many).toContain("and 2 more");
  });

  test("leaves out unknown values", () => {
    expect(rows({ conversation: nothing, samples: [] })).toEqual(["qwen3-8b        ○ not loaded"]);
  });

  test("says that the server is gone and how old the figures are", () => {
    const [first, second] = rows({ staleMs: 12_000 });
    expect(first).toBe("✗ server down for 12 s");
    expect(second).toContain("qwen3-8b");
  });

  test("counts down to the unload and shows the progress of a load", () => {
    const [model] = sample.models;
    if (model === undefined) throw new Error("the sample has a model");
    const withModel = (change: Partial<typeof model>) =>
      rows({ samples: [{ ...sample, models: [{ ...model, ...change }] }] })[0];
    expect(withModel({ state: "idle", expiresAt: now + 252_000 })).toMatch(/● 4 m 12 s left$/);
    expect(withModel({ state: "idle" })).toMatch(/● loaded$/);
    expect(withModel({ state: "loading", loadFraction: 0.618 })).toMatch(/◐ loading 61%$/);
    expect(withModel({ state: "warming up", loadFraction: 1 })).toMatch(/◐ warming up$/);
  });

  test("has no figures of other clients' models", () => {
    const [model] = sample.models;
    if (model === undefined) throw new Error("the sample has a model");
    const others = { ...model, name: "other", names: ["other:latest"], tokensPerSecond: 5 };
    const samples = [{ ...sample, models: [others], tokensPerSecond: 5, waiting: 3 }];
    expect(rows({ conversation: nothing, samples })).toEqual([
      "qwen3-8b        ○ not loaded",
      expect.stringMatching(/^tok\/s .* 0\.0$/),
      expect.stringMatching(/^CPU/),
      expect.stringMatching(/^RAM/),
    ]);
    const line = <EngineLine watch={watchOf({ samples })} conversation={nothing} columns={80} />;
    expect(renderAt(line).lines()).toEqual([" 0.0 tok/s · CPU 42%"]);
  });

  test("finds a model that is loaded under another name", () => {
    const [model] = sample.models;
    if (model === undefined) throw new Error("the sample has a model");
    const loaded = { ...model, name: "tiny:latest", names: ["tiny:latest", "mine:latest"] };
    const samples = [{ ...sample, models: [loaded] }];
    const state = (change: Partial<ConversationFigures>) =>
      rows({ samples, conversation: { ...conversation, ...change } })[0];
    expect(state({ model: "mine" })).toMatch(/mine +◐ busy$/);
    expect(state({ model: "copy", loadedAs: "tiny:latest" })).toMatch(/copy +◐ busy$/);
    expect(state({ model: "other" })).toMatch(/other +○ not loaded$/);
  });

  test("fits its width, in ASCII if Unicode is unavailable", () => {
    const facts = { samples: [{ ...sample, gpus: [gpu, gpu] }] };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is the subject
    expect(pane({ ...facts, staleMs: 5000 }, true).join("\n")).toMatch(/^[\x00-\x7f]*$/);
    expect(pane(facts).every((row) => row.length === 32)).toBe(true);
    const named = pane({ conversation: { ...conversation, model: "a-long-name".repeat(4) } });
    expect(named[1]).toMatch(/^│ a-long-namea\S+… ○ not loaded │$/);
  });

  test.each<Facts>([
    {},
    { conversation: nothing, samples: [] },
    { staleMs: 5000 },
    { samples: [{ ...sample, gpus: [gpu, gpu, gpu] }] },
  ])("is as high as its content, %#", (facts) => {
    const height = enginePaneHeight(watchOf(facts).get(), facts.conversation ?? conversation);
    expect(pane(facts)).toHaveLength(height);
  });

  test("is cut when there are fewer rows", () => {
    const watch = watchOf({});
    const tree = <EnginePane watch={watch} conversation={conversation} rows={5} />;
    const lines = renderAt(tree, { nowMs: now }).lines();
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toMatch(/^╰─+╯$/);
  });

  test("follows the server and the conversation", async () => {
    const watch = watchOf({ samples: [] });
    const of = (figures: ConversationFigures) => (
      <EnginePane watch={watch} conversation={figures} rows={40} />
    );
    const { shows, rerender } = renderAt(of(nothing), { nowMs: now });
    await shows("not loaded");
    watch.update({ samples: [sample] });
    await shows("2 of 4 busy");
    rerender(of({ ...nothing, ttftMs: 99 }));
    await shows("99 ms");
  });
});

describe("one line", () => {
  test("has the same figures in short", () => {
    const tree = <EngineLine watch={watchOf({})} conversation={conversation} columns={80} />;
    expect(renderAt(tree).lines()).toEqual([
      " 61.2 tok/s · TTFT 182 ms · context 4800/8192 · queue 1 · CPU 42%",
    ]);
  });

  test("is cut when it is too long", () => {
    const tree = <EngineLine watch={watchOf({})} conversation={conversation} columns={30} />;
    expect(renderAt(tree, { isAscii: true }).lines()).toEqual([" 61.2 tok/s | TTFT 182 ms | ~"]);
  });
});

test("screens have the pane beside them, the line above them, or neither", () => {
  expect(enginePlace({ columns: 100, rows: 14 })).toBe("pane");
  expect(enginePlace({ columns: 100, rows: 13 })).toBe("none");
  expect(enginePlace({ columns: 99, rows: 20 })).toBe("line");
  expect(enginePlace({ columns: 99, rows: 19 })).toBe("none");
  expect(enginePlace({ columns: 79, rows: 40 })).toBe("none");
});
