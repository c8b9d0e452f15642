// Feeds of deployments and ephemeral apps, with many events and slow readers.
import { expect, it } from "vitest";
import type { DeployEvent, EphemeralEvent } from "../../../source/cloud/admin/documents.ts";
import { RunLog } from "../../../source/cloud/control-plane/ephemeral-runs.ts";
import { DeployFeed, furtherLines, RunFeed } from "../../../source/cloud/control-plane/feeds.ts";
import type { LogLine, LogQuery } from "../../../source/cloud/engines/engine.ts";

it("a deployment's endless log is cut with a notice, and nothing else is lost", async () => {
  const feed = new DeployFeed(2);
  const phase: DeployEvent = { kind: "phase", phase: "start", sentence: "on", elapsedMs: 1 };
  for (const text of ["a", "b", "c", "d"]) feed.add({ kind: "log", text });
  feed.add(phase);
  feed.end();
  const heard: DeployEvent[] = [];
  for await (const event of feed.read()) heard.push(event);
  expect(heard).toEqual([
    { kind: "log", text: "a" },
    { kind: "log", text: "b" },
    furtherLines,
    phase,
  ]);
});

const lineOf = (seq: number): LogLine => ({
  ...{ ts: seq, organisation: "local", app: "chat", revision: "r1", replica: "a" },
  ...{ stream: "stdout", seq, text: `line ${seq}` },
});

/** Returns a log with a number of lines, and a count of those read. */
function logOf(count: number) {
  const taken = { count: 0 };
  async function* logs({ after, follow, signal }: LogQuery): AsyncGenerator<LogLine> {
    for (let seq = (after?.get("r1/a") ?? 0) + 1; seq <= count; seq += 1) {
      taken.count += 1;
      yield lineOf(seq);
    }
    while (follow && !signal?.aborted) await new Promise(setImmediate);
  }
  return { engine: { logs }, taken };
}

it("a run's log waits for a slow reader, who gets each line once, also the last ones", async () => {
  const { engine, taken } = logOf(5000);
  const feed = new RunFeed();
  const log = new RunLog(engine, { organisation: "local", app: "chat", sinceMs: 0 }, feed);
  const following = new AbortController();
  const followed = log.follow(following.signal);
  await expect.poll(() => taken.count).toBeGreaterThanOrEqual(1000);
  const heard: EphemeralEvent[] = [];
  const reading = (async () => {
    for await (const event of feed.read()) heard.push(event);
  })();
  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(3000);
  following.abort();
  await followed;
  await log.rest(new AbortController().signal);
  feed.end();
  await reading;
  const seqs = heard.map((event) => (event.kind === "line" ? event.line.seq : undefined));
  expect(seqs).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
});

it("a reader that disconnects blocks nobody", async () => {
  const { engine, taken } = logOf(5000);
  const feed = new RunFeed();
  const log = new RunLog(engine, { organisation: "local", app: "chat", sinceMs: 0 }, feed);
  const leaving = new AbortController();
  const followed = log.follow(leaving.signal);
  await expect.poll(() => taken.count).toBeGreaterThanOrEqual(1000);
  leaving.abort();
  await followed;
  expect(taken.count).toBeLessThan(2000);
});
