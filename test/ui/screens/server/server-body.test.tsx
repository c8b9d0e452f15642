// Tests the body of the Server screen in every state and size.
// Uses stores in memory, and an in-memory terminal for the cursor and row heights.

import { describe, expect, test } from "vitest";
import { Store } from "../../../../source/base/store.ts";
import { keyOf } from "../../../../source/client/live/request-feed.ts";
import type { WatchedServer } from "../../../../source/client/live/server-watch.ts";
import type { ServerSample } from "../../../../source/client/metrics.ts";
import { readRequestFilter } from "../../../../source/request-log/filter.ts";
import type { RequestRecord } from "../../../../source/request-log/request-record.ts";
import { openedField } from "../../../../source/ui/components/list-state.ts";
import { changeFilters, rowAt } from "../../../../source/ui/screens/server/request-list.ts";
import { ServerBody } from "../../../../source/ui/screens/server/server-body.tsx";
import {
  type HostedServer,
  initialServerState,
  type ServerState,
} from "../../../../source/ui/screens/server/server-state.ts";
import { until } from "../../../support/until.ts";
import { openTree, type RenderOptions, renderAt } from "../../support/render.tsx";
import { requestView } from "../../support/request-views.ts";
import { serverSample } from "../../support/server-samples.ts";

const now = 1_007_000;
const views = [
  requestView({ id: "r-1", startedAt: 1_000_000 }),
  requestView({
    id: "r-2",
    startedAt: 1_001_000,
    status: 404,
    model: "nope:1b",
    error: { code: "X", message: "model not found" },
  }),
  requestView({
    id: "r-3",
    startedAt: 1_006_000,
    state: "running",
    status: undefined,
    totalMs: undefined,
  }),
];

interface Facts {
  readonly state?: Partial<ServerState>;
  readonly requests?: readonly RequestRecord[];
  readonly samples?: readonly ServerSample[];
  readonly link?: WatchedServer["link"];
  readonly host?: Partial<HostedServer>;
}

function sourcesOf(facts: Facts) {
  const { requests = views, samples = [serverSample()], link = { kind: "up" } } = facts;
  const log = new Store({ requests });
  return {
    store: new Store<ServerState>({ ...initialServerState, ...facts.state }),
    watch: new Store<WatchedServer>({ link, samples }),
    feed: { get: () => log.get().requests, subscribe: log.subscribe },
    put: (next: readonly RequestRecord[]) => log.update({ requests: next }),
    extent: { current: { rows: 0, lastTop: 0 } },
    host: (): HostedServer => ({
      url: "http://127.0.0.1:11434",
      state: "running",
      warning: undefined,
      ...facts.host,
    }),
  };
}

interface Size extends RenderOptions {
  readonly columns?: number;
  readonly rows?: number;
}

function open(facts: Facts = {}, size: Size = {}) {
  const { columns = 120, rows = 30, ...options } = size;
  const sources = sourcesOf(facts);
  const tree = <ServerBody sources={sources} columns={columns} rows={rows} />;
  return { sources, ...renderAt(tree, { columns, nowMs: now, ...options }) };
}

function filtered(text: string): Partial<ServerState> {
  return changeFilters(initialServerState, { text }, readRequestFilter);
}

describe("panes", () => {
  test("show throughput, scheduler and memory", () => {
    const { lines } = open();
    const pane = (index: number) =>
      lines()
        .slice(1, 6)
        .map((line) =>
          line
            .slice(index * 40, (index + 1) * 40)
            .slice(2, -2)
            .trim(),
        );
    expect(lines()[0]).toMatch(/^╭─ Throughput ─+╮╭─ Scheduler ─+╮╭─ Memory ─+╮$/);
    expect(pane(0)).toEqual([
      expect.stringMatching(/^tok\/s +█ +61\.2$/),
      expect.stringMatching(/^req\/s .*█.* 0\.1$/),
      expect.stringMatching(/^errors .* 50%$/),
      "TTFT    p50 840 ms  p95 840 ms",
      "prefill 1005 tok/s",
    ]);
    expect(pane(1)).toEqual([
      "Slots   ■■□□ 2 of 4",
      "Queue   1, longest 0.4 s",
      "Prefix  60% cached",
      expect.stringMatching(/^qwen3-8b:latest +◐ busy$/),
      "",
    ]);
    expect(pane(2)).toEqual([
      expect.stringMatching(/^CPU +▄ +42%$/),
      expect.stringMatching(/^RAM +█+░+ 18\.2\/64\.0 GiB$/),
      expect.stringMatching(/^KV +█+░+ 15% of 32k$/),
      "KV size 1.5 GiB q8_0",
      "Server  205 MiB without models",
    ]);
  });

  test("are empty before the first sample", () => {
    const { text } = open({ samples: [], requests: [], link: { kind: "connecting" } });
    expect(text()).toContain("none in the last minute");
    expect(text()).not.toContain("CPU");
  });

  test("show the state of models", () => {
    const [model] = serverSample().models;
    if (model === undefined) throw new Error("the sample has a model");
    const models = [
      { ...model, state: "loading", loadFraction: 0.618 },
      { ...model, name: "other", state: "idle", expiresAt: now + 252_000 },
    ];
    const { text } = open({ samples: [serverSample({ models, waiting: 0 })] });
    expect(text()).toMatch(/qwen3-8b:latest +◐ 62%/);
    expect(text()).toMatch(/other +● 4 m 12 s left/);
    expect(text()).toMatch(/Queue {3}empty/);
    const warming = [{ ...model, state: "warming up", loadFraction: 1 }];
    expect(open({ samples: [serverSample({ models: warming })] }).text()).toMatch(/◐ warming up/);
    const idle = [{ ...model, state: "idle" }];
    expect(open({ samples: [serverSample({ models: idle })] }).text()).toMatch(/● forever/);
    expect(open({ samples: [serverSample({ models: [] })] }).text()).toContain("no model loaded");
  });

  test("become two lines without room", () => {
    const work = " 61.2 tok/s · 2 of 4 slots · 1 waiting 0.4 s · errors 50% · TTFT 840 ms";
    const load = " RAM 18.2/64.0 GiB · CPU 42% · qwen3-8b:latest ◐ busy";
    expect(open({}, { columns: 80, rows: 22 }).lines().slice(0, 2)).toEqual([work, load]);
    expect(open({}, { columns: 120, rows: 19 }).lines().slice(0, 2)).toEqual([work, load]);
    const short = open({}, { columns: 60, rows: 14, isAscii: true }).lines();
    expect(short[0]).toMatch(/^ 61\.2 tok\/s \| 2 of 4 slots \| .*~$/);
    expect(short[1]).toBe(" RAM 18.2/64.0 GiB | CPU 42% | qwen3-8b:latest ~ busy");
  });
});

describe("the table", () => {
  test("has a row for each request, the newest selected and summarised below", () => {
    const { text } = open();
    expect(text()).toContain("status all  model all  filter none");
    expect(text()).toMatch(/FOLLOW │/);
    expect(text()).toMatch(/│ {3}\d\d:\d\d:\d\d r-1 +POST .* ✓ 200 +2014 +71 +840 ms .* 2\.10 s │/);
    expect(text()).toMatch(/r-2 .* ✗ 404 +model not found/);
    expect(text()).toMatch(/│ > \d\d:\d\d:\d\d r-3 .* ◐ stream .* 1\.00 s │/);
    expect(text()).toMatch(/ 3 of 3 ─╯/);
    expect(text()).toMatch(/╭─ r-3 · Enter open ─+╮/);
    expect(text()).toContain("no key  from 127.0.0.1  curl/8  streamed  slot 1  finish: stop");
  });

  test("reports how many rows a page has", async () => {
    const rowsOf = async (facts: Facts) => {
      const { sources } = open(facts, { columns: 80, rows: 22 });
      return await until(
        () => sources.extent.current.rows,
        (rows) => rows > 0,
      );
    };
    // Minus two lines of figures, two borders, the filter and the header.
    expect(await rowsOf({})).toBe(16);
    expect(await rowsOf({ host: { warning: "Anybody can use it" } })).toBe(15);
  });

  test("shows ages on request", () => {
    expect(open({ state: { isRelative: true } }).text()).toMatch(/│ {3}7 s +r-1/);
  });

  test("keeps the selected row visible", () => {
    const requests = Array.from({ length: 100 }, (_, index) =>
      requestView({ id: `r-${index}`, startedAt: 1_000_000 + index }),
    );
    const middle = requests[50];
    if (middle === undefined) throw new Error("there are a hundred");
    const { text, lines } = open({ requests, state: { selection: rowAt(middle) } });
    expect(text()).toMatch(/> \d\d:\d\d:\d\d r-50 /);
    expect(text()).toMatch(/ 51 of 100 · End follow ─╯/);
    expect(lines().filter((line) => /│ [> ] \d\d:/.test(line))).toHaveLength(13);
    expect(open({ requests }).text()).toMatch(/> \d\d:\d\d:\d\d r-99 /);
  });

  test("says what to try without requests, and what to do without matches", () => {
    const empty = open({ requests: [] }).text();
    expect(empty).toContain("No requests yet. Try:");
    expect(empty).toContain("curl http://127.0.0.1:11434/v1/chat/completions");
    expect(empty).toContain("Press y to copy it.");
    expect(empty).not.toContain("Enter open");
    const none = open({ state: filtered("r-99") }).text();
    expect(none).toContain("No matches. Press Esc to show all requests.");
    expect(none).toMatch(/ 0 of 3 ─╯/);
  });

  test("shows filters, their error and a pause", () => {
    const { text } = open({ state: { ...filtered("status:potato"), frozen: views.slice(0, 1) } });
    expect(text()).toMatch(/filter status:potato {2}! .*is not a valid status.* PAUSED \+2 │/);
    const model = changeFilters(initialServerState, { model: "ti\u001bny" }, readRequestFilter);
    expect(open({ state: model }).text()).toContain("model ti^[ny");
  });

  test("follows the log, the server and the state", async () => {
    const { sources, shows } = open({ requests: [] });
    await shows("No requests yet");
    sources.put(views);
    await shows("3 of 3");
    sources.store.update(filtered("r-1"));
    await shows("1 of 3");
    sources.watch.update({ samples: [serverSample({ tokensPerSecond: 99.9 })] });
    await shows("99.9");
  });
});

test("the filter's field has the cursor, below panes and banner", async () => {
  const field = openedField("model:tiny");
  const sources = sourcesOf({
    state: { field, ...filtered(field.editor.text) },
    host: { warning: "Anybody can use this server" },
  });
  const tree = <ServerBody sources={sources} columns={120} rows={30} />;
  const screen = openTree(tree, 120, 30);
  await screen.until("filter model:tiny");
  await screen.until(({ cursor, lines }) =>
    (lines[cursor.y] ?? "").slice(0, cursor.x).endsWith("model:tiny"),
  );
});

describe("the banner", () => {
  test.each<[string, Facts]>([
    ["◐ starting the server", { state: { work: "starting the server" } }],
    [
      "✗ Port 1 is taken. · p use next free port · o settings · S retry",
      { state: { startProblem: { sentence: "Port 1 is taken.", remedy: "next-port" } } },
    ],
    [
      "✗ No key. · n create key · o settings · S retry",
      { state: { startProblem: { sentence: "No key.", remedy: "make-key" } } },
    ],
    [
      "✗ Failed. · o settings · S retry",
      { state: { startProblem: { sentence: "Failed.", remedy: "none" } } },
    ],
    ["○ The server is stopped · S start · o settings", { host: { state: "stopped" } }],
    [
      "✗ No answer. Down for 7 s; reconnecting to http://127.0.0.1:11434",
      { link: { kind: "down", sentence: "No answer.", sinceMs: 1_000_000 } },
    ],
    ["! Anybody can use it · o settings", { host: { warning: "Anybody can use it" } }],
  ])("shows %s", (banner, facts) => {
    const { lines } = open(facts);
    expect(lines()[0]).toBe(` ${banner}`);
    expect(lines()[1]).toContain("Throughput");
    expect(lines()).toHaveLength(30);
  });

  test("wraps a long sentence into at most three rows", () => {
    const { lines } = open({ state: { work: "very busy ".repeat(60).trim() } }, { columns: 60 });
    expect(lines().slice(0, 3).join()).toContain("very busy");
    expect(lines()[3]).toContain("tok/s");
  });
});

describe("an open request", () => {
  const [first = requestView()] = views;
  const opened = (change: Partial<ServerState> = {}): Facts => ({
    state: { opened: first, selection: rowAt(first), ...change },
  });
  const read = (answer: string): Partial<ServerState> => ({
    read: {
      key: keyOf(first),
      state: "done",
      texts: { kind: "loaded", value: { prompt: "Hi\u001b[2J", answer, body: "{}" } },
    },
  });

  test("fills the screen while it is loading", () => {
    const { lines, text } = open(opened());
    expect(lines()[0]).toMatch(/^╭─ Request r-1 ─+╮$/);
    expect(text()).toContain("prompt 800 ms (2014 tokens, 1210 cached)");
    expect(text()).toContain("Loading prompt and answer…");
    expect(lines()).toHaveLength(30);
    expect(text()).not.toContain("Throughput");
  });

  test("shows its texts escaped, and scrolls", () => {
    const answer = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n");
    const { text } = open(opened(read(answer)));
    expect(text()).toContain("Hi^[[2J");
    expect(text()).toContain("rows 1 to 28 of 60");
    const end = open(opened({ ...read(answer), top: 32 })).text();
    expect(end).toContain("line 49");
    expect(end).toContain("rows 33 to 60 of 60");
  });

  test("reports how far it scrolls, also below a banner", async () => {
    const answer = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n");
    const extentOf = async (facts: Facts) => {
      const { sources } = open(facts);
      return await until(
        () => sources.extent.current,
        ({ rows }) => rows > 0,
      );
    };
    const facts = opened(read(answer));
    expect(await extentOf(facts)).toEqual({ rows: 28, lastTop: 32 });
    const warned = { ...facts, host: { warning: "Anybody can use it" } };
    expect(await extentOf(warned)).toEqual({ rows: 27, lastTop: 33 });
  });

  test("wraps long lines or cuts them", () => {
    const answer = `${"word ".repeat(40)}end`;
    expect(open(opened(read(answer))).text()).toContain("end");
    const cut = open(opened({ ...read(answer), isWrapped: false })).text();
    expect(cut).toMatch(/word word.*… │/);
    expect(cut).not.toContain("end ");
  });

  test("is kept up to date", async () => {
    const { sources, shows } = open(opened());
    sources.put([{ ...first, completionTokens: 777 }]);
    await shows("(777 tokens)");
  });
});

describe("in any window", () => {
  test.each([
    [60, 14],
    [80, 22],
    [250, 78],
  ])("of %ix%i everything fits", (columns, rows) => {
    const { lines } = open({}, { columns, rows });
    expect(lines()).toHaveLength(rows);
    expect(lines().every((line) => line.length <= columns)).toBe(true);
    expect(lines().at(-1)).toMatch(/─╯$/);
  });

  test("everything is drawn in ASCII if Unicode is unavailable", () => {
    const { text } = open({}, { columns: 110, isAscii: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is the subject
    expect(text()).toMatch(/^[\x00-\x7f]*$/);
    expect(text()).toContain("+ 200");
  });
});

test("the figures of a stopped server stay", () => {
  const { text } = open({ link: { kind: "down", sentence: "No answer.", sinceMs: 1_000_000 } });
  expect(text()).toContain("61.2");
  expect(text()).toMatch(/KV size 1\.5 GiB/);
  expect(text()).toContain("3 of 3");
});
