import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../source/base/clock.ts";
import type { LogLine, LogQuery } from "../../../source/cloud/engines/engine.ts";
import { filesOfLog, LogFile } from "../../../source/cloud/engines/logs/log-file.ts";
import { LogStore } from "../../../source/cloud/engines/logs/log-store.ts";
import { defaultRawLimits, type RawLimits } from "../../../source/cloud/engines/logs/raw-output.ts";
import { ReplicaLog } from "../../../source/cloud/engines/logs/replica-log.ts";
import { linesOf, makeStateFolder } from "../../support/process-engine.ts";
import { until } from "../../support/until.ts";

const place = { organisation: "local", app: "demo", revision: "r0001-0", replica: "one" };
const everything: LogQuery = { organisation: "local", app: "demo", follow: false };
let folder: string;
let store: LogStore;
let closers: (() => void)[];

beforeEach(() => {
  folder = makeStateFolder();
  store = new LogStore(folder, systemClock);
  closers = [() => store.close()];
});
afterEach(() => {
  for (const close of closers) close();
  rmSync(folder, { recursive: true, force: true });
});

interface Talk {
  log: ReplicaLog;
  /** Lines whose progress was looked for. */
  texts: string[];
  say: (text: string | Buffer, stream?: "stdout" | "stderr") => void;
}

function replicaLog(replica = "one", limits: RawLimits = defaultRawLimits): Talk {
  const raw = {
    stdout: path.join(folder, `${replica}.stdout`),
    stderr: path.join(folder, `${replica}.stderr`),
  };
  for (const file of Object.values(raw)) appendFileSync(file, "");
  const of = { ...place, replica };
  const file = store.fileOf(of);
  const texts: string[] = [];
  const log = new ReplicaLog({
    file,
    of,
    raw,
    clock: systemClock,
    limits,
    onText: (text) => texts.push(text),
    onMarker: () => {},
    onGrowth: () => store.noteGrowth(file),
    onFailure: (error) => {
      throw error;
    },
  });
  closers.push(() => log.close());
  return { log, texts, say: (text, stream = "stdout") => appendFileSync(raw[stream], text) };
}

async function read(query: Partial<LogQuery> = {}): Promise<LogLine[]> {
  return await linesOf(store.query({ ...everything, ...query }));
}

async function texts(query: Partial<LogQuery> = {}): Promise<string[]> {
  return (await read(query)).map(({ text }) => text);
}

describe("a replica's output", () => {
  it("becomes numbered lines of their stream, with whole characters even from pieces", async () => {
    const { log, say } = replicaLog();
    const bytes = Buffer.from("grüße\n");
    say(bytes.subarray(0, 3));
    log.collect();
    expect(await texts()).toEqual([]);
    say(bytes.subarray(3));
    say("oh\r\n", "stderr");
    log.collect();
    expect(await read()).toMatchObject([
      { ...place, stream: "stdout", seq: 1, text: "grüße" },
      { ...place, stream: "stderr", seq: 2, text: "oh" },
    ]);
  });

  it("of a progress bar is its final state, and its current state meanwhile", async () => {
    const { log, say, texts: progress } = replicaLog();
    say("\r 10%|#  | 1/10\r 20%|## | 2/10");
    log.collect();
    expect(progress).toEqual([" 20%|## | 2/10"]);
    say("\r100%|###| 10/10\n");
    log.collect();
    expect(await texts()).toEqual(["100%|###| 10/10"]);
  });

  it("includes a last line without a line break", async () => {
    const { log, say } = replicaLog();
    say("Killed");
    await log.collectRest();
    expect(await texts()).toEqual(["Killed"]);
  });

  it("is split when a line does not end, never inside a character", async () => {
    const { log, say } = replicaLog("one", { ...defaultRawLimits, lineBytes: 4 });
    say("äöü\n");
    await log.collectRest();
    expect(await texts()).toEqual(["äö", "ü"]);
  });

  it("has the runner's markers as events, separate from unfinished lines", async () => {
    const { log, say } = replicaLog();
    say('loading…@deployctl {"phase": "returned", "at": 1, "program": "vllm", "code": 1}\n');
    say('@deployctl {"phase": broken\n');
    log.collect();
    expect(await read()).toMatchObject([
      { stream: "stdout", text: "loading…" },
      { stream: "event", text: "the function returned; vllm exited with code 1" },
      { stream: "stdout", text: '@deployctl {"phase": broken' },
    ]);
    expect(log.ending).toMatchObject({ phase: "returned", program: "vllm", code: 1 });
  });

  it("is logged once when a control plane dies and another takes over", async () => {
    const first = replicaLog();
    first.say(
      'one\ntwo\n@deployctl {"phase": "failed", "reason": "exception", "sentence": "No."}\nthr',
    );
    first.log.collect();
    first.say("ee\n");
    first.say("four\n", "stderr");
    // As after a crash: it is neither told nor closed.
    const second = replicaLog();
    second.log.collect();
    expect(await texts()).toEqual(["one", "two", "failed: No.", "three", "four"]);
    expect((await read()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(second.log.tail).toEqual(["one", "two", "three", "four"]);
    expect(second.log.ending).toMatchObject({ phase: "failed", sentence: "No." });
  });

  it("is not stored twice: a raw file that was read is truncated", async () => {
    const limits = { ...defaultRawLimits, emptyAtBytes: 10 };
    const first = replicaLog("one", limits);
    first.say("0123456789\n");
    first.log.collect();
    expect(statSync(path.join(folder, "one.stdout")).size).toBe(0);
    first.say("after\n");
    const second = replicaLog("one", limits);
    second.log.collect();
    expect((await texts()).filter((text) => !text.includes("emptied the raw file"))).toEqual([
      "0123456789",
      "after",
    ]);
  });

  it("is dropped and counted when it comes faster than it can be stored", async () => {
    const { log, say } = replicaLog("one", { ...defaultRawLimits, backlogBytes: 100 });
    say("x\n".repeat(200));
    say("the last words\n");
    log.collect();
    say("calm again\n");
    log.collect();
    const lines = await texts();
    expect(lines[0]).toContain("skipped 316 bytes of stdout");
    expect(lines).toHaveLength(1 + 42 + 3);
    expect(lines.slice(-3)).toEqual([
      "the last words",
      expect.stringContaining("emptied the raw file"),
      "calm again",
    ]);
    expect(log.tail.slice(-2)).toEqual(["the last words", "calm again"]);
  });

  it("without end never fills the disk, even across a restart", async () => {
    const limits = { ...defaultRawLimits, readBytes: 100, backlogBytes: 500 };
    const first = replicaLog("one", limits);
    for (let round = 0; round < 10; round += 1) {
      first.say("y".repeat(99) + "\n".repeat(20));
      first.say("z".repeat(1000));
      first.log.collect();
      expect(statSync(path.join(folder, "one.stdout")).size).toBeLessThan(2500);
    }
    const second = replicaLog("one", limits);
    second.say("\nheard\n");
    await second.log.collectRest();
    expect((await texts()).at(-1)).toBe("heard");
  });
});

describe("a log file", () => {
  it("is rotated when full, five files in all, with continuing numbers", async () => {
    const file = store.fileOf(place);
    const log = new LogFile({ file, of: place, maxBytes: 1000 });
    closers.push(() => log.close());
    for (let i = 1; i <= 60; i += 1) log.append([{ ts: i, stream: "stdout", text: `line ${i}` }]);
    expect(filesOfLog(file).map((name) => path.basename(name))).toEqual([
      "one.log",
      "one.log.1",
      "one.log.2",
      "one.log.3",
      "one.log.4",
    ]);
    for (const name of filesOfLog(file)) expect(statSync(name).size).toBeLessThanOrEqual(1000);
    const seqs = (await read()).map(({ seq }) => seq);
    expect(seqs.at(-1)).toBe(60);
    expect(seqs).toEqual(Array.from(seqs, (_, i) => (seqs[0] ?? 0) + i));
    expect(seqs[0]).toBeGreaterThan(1);
    expect(await texts({ lines: 20 })).toEqual(
      Array.from({ length: 20 }, (_, i) => `line ${i + 41}`),
    );
    const reopened = new LogFile({ file, of: place, maxBytes: 1000 });
    closers.push(() => reopened.close());
    reopened.append([{ ts: 1, stream: "stdout", text: "next" }]);
    expect((await read({ lines: 1 }))[0]).toMatchObject({ seq: 61, ts: 60, text: "next" });
  });

  it("loses only the line cut by a power failure", async () => {
    const file = store.fileOf(place);
    const log = new LogFile({ file, of: place });
    log.append([{ ts: 5, stream: "stdout", text: "whole" }]);
    log.close();
    appendFileSync(file, '{"ts":6,"org":"lo');
    const reopened = new LogFile({ file, of: place });
    closers.push(() => reopened.close());
    reopened.append([{ ts: 7, stream: "stdout", text: "later" }]);
    expect(await read()).toMatchObject([
      { seq: 1, text: "whole" },
      { seq: 2, text: "later" },
    ]);
  });

  it("has the fields that log tools expect", () => {
    const file = store.fileOf(place);
    const log = new LogFile({ file, of: place });
    closers.push(() => log.close());
    log.append([{ ts: 5, stream: "stderr", text: "hello" }]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      ts: 5,
      org: "local",
      app: "demo",
      rev: "r0001-0",
      replica: "one",
      stream: "stderr",
      seq: 1,
      text: "hello",
    });
  });
});

describe("a log query", () => {
  function write(replica: string, revision: string, lines: [ts: number, text: string][]): void {
    const of = { ...place, replica, revision };
    const log = new LogFile({ file: store.fileOf(of), of });
    log.append(lines.map(([ts, text]) => ({ ts, stream: "stdout", text })));
    log.close();
  }

  beforeEach(() => {
    write("one", "r0001-0", [
      [10, "one starts"],
      [30, "ERROR one"],
      [50, "one ends"],
    ]);
    write("two", "r0002-0", [
      [20, "two starts"],
      [40, "error two"],
    ]);
  });

  it.each<[string, Partial<LogQuery>, string[]]>([
    ["all", {}, ["one starts", "two starts", "ERROR one", "error two", "one ends"]],
    ["the last ones of all", { lines: 2 }, ["error two", "one ends"]],
    ["none", { lines: 0 }, []],
    ["one replica", { replica: "two" }, ["two starts", "error two"]],
    ["one revision", { revision: "r0001-0", lines: 5 }, ["one starts", "ERROR one", "one ends"]],
    ["a part of the text", { search: "Error" }, ["ERROR one", "error two"]],
    ["the last with a text", { search: "error", lines: 1 }, ["error two"]],
    ["since a time", { sinceMs: 40 }, ["error two", "one ends"]],
    ["the last since a time", { sinceMs: 40, lines: 9 }, ["error two", "one ends"]],
    [
      "where a reader stopped",
      {
        after: new Map([
          ["r0001-0/one", 2],
          ["r0002-0/two", 1],
        ]),
      },
      ["error two", "one ends"],
    ],
    ["an unknown app", { app: "nobody" }, []],
    ["a name that leaves the folder", { app: "../.." }, []],
    ["a replica that leaves the folder", { replica: "../r0001-0/one" }, []],
  ])("for %s", async (_, query, expected) => {
    expect(await texts(query)).toEqual(expected);
  });

  it("follows new lines, each once, also of later replicas", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      const query = { ...everything, lines: 1, follow: true, signal: stop.signal };
      for await (const { text } of store.query(query)) seen.push(text);
    })();
    await expect.poll(() => seen.length).toBe(1);
    const { log, say } = replicaLog("three");
    for (let i = 0; i < 50; i += 1) {
      say(`line ${i}\n`);
      if (i % 7 === 0) log.collect();
    }
    log.collect();
    const expected = ["one ends", ...Array.from({ length: 50 }, (_, i) => `line ${i}`)];
    expect(
      await until(
        () => seen,
        ({ length }) => length >= 51,
      ),
    ).toEqual(expected);
    stop.abort();
    await following;
    expect(seen).toEqual(expected);
  });

  it("follows only matching lines, and ends with the store", async () => {
    const seen: string[] = [];
    const following = (async () => {
      const query = { ...everything, lines: 0, search: "warn", follow: true };
      for await (const { text } of store.query(query)) seen.push(text);
    })();
    const { log, say } = replicaLog("one");
    // One new line each time shows when it has started to follow.
    await until(
      () => {
        say("info\nwarn\n");
        log.collect();
        return seen.length;
      },
      (count) => count > 3,
    );
    store.close();
    await following;
    expect(new Set(seen)).toEqual(new Set(["warn"]));
  });

  it("deletes logs unused for a week, except those of running replicas", () => {
    const [old, living] = [
      store.fileOf(place),
      store.fileOf({ ...place, revision: "r0002-0", replica: "two" }),
    ];
    for (const file of [old, living]) utimesSync(file, 1000, 1000);
    writeFileSync(`${old}.1`, "");
    store.removeOld(new Set([living]));
    expect([old, living, `${old}.1`].map((file) => existsSync(file))).toEqual([false, true, true]);
  });
});
