// Traffic split between two revisions, under load of OpenAI's client: no request is lost.
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  AppDetails,
  ReplicaDocument,
  ServerProcesses,
  UsageDocument,
} from "../../source/cloud/admin/documents.ts";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { until } from "../support/until.ts";

let cloud: CloudHome;
let client: OpenAI;

beforeAll(async () => {
  cloud = await CloudHome.create();
  await deploy("one", "--min-concurrency", "1");
  client = new OpenAI({
    baseURL: `http://127.0.0.1:${cloud.gatewayPort}/local/app/v1`,
    apiKey: "unused",
    maxRetries: 0,
    // The gateway refuses their scheme.
    defaultHeaders: { Authorization: null },
  });
});
afterAll(async () => await cloud.remove());

async function deploy(name: string, ...words: string[]): Promise<string> {
  cloud.write("app.py", fakeServerScript({ words: `"serve", "model-${name}"` }));
  const fixed = ["--app-name", "app", "--auth", "public", "--max-multiplexing", "100"];
  const command = ["deploy", "app.py", ...fixed, ...words];
  return (await cloud.json<{ revision: string }>(command)).revision;
}

const show = async () =>
  await cloud.json<AppDetails & Record<string, unknown>>(["apps", "show", "app"]);

const callers = 12;

interface Seen {
  caller: number;
  revision: string;
}

/** Chats of several turns, all at once, until they are stopped. */
function chatSteadily(callers: number): {
  seen: Seen[];
  faults: unknown[];
  stop: () => Promise<void>;
} {
  const seen: Seen[] = [];
  const faults: unknown[] = [];
  let isOver = false;
  const all = Array.from({ length: callers }, async (_, caller) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "user", content: `conversation ${caller}` },
    ];
    while (!isOver) {
      try {
        const stream = await client.chat.completions
          .create({ model: "tiny", messages, stream: true, max_tokens: 3 })
          .withResponse();
        for await (const piece of stream.data) expect(piece.object).toBe("chat.completion.chunk");
        seen.push({ caller, revision: stream.response.headers.get("x-dctl-revision") ?? "" });
        if (messages.length < 20) {
          messages.push({ role: "assistant", content: "yes" }, { role: "user", content: "go on" });
        }
      } catch (error) {
        faults.push(error);
      }
    }
  });
  return {
    ...{ seen, faults },
    stop: async () => {
      isOver = true;
      await Promise.all(all);
    },
  };
}

test("conversations stay on their revision through a split, a promotion and an abort, and none is lost", {
  timeout: 300_000,
}, async () => {
  const first = (await show()).activeRevision ?? "";
  const load = chatSteadily(callers);
  const second = await deploy("two", "--min-concurrency", "1", "--traffic", "50");
  load.seen.length = 0;
  const places = await until(
    () => placesOf(load.seen),
    ({ size }) => size === callers,
  );
  for (const revisions of places.values()) expect(revisions.size).toBe(1);
  const homeOf = (caller: number) => [...(places.get(caller) ?? [])][0];
  expect(new Set([...places.keys()].map(homeOf))).toEqual(new Set([first, second]));
  const shown = await until(show, ({ traffic }) => traffic?.revisions[1]?.requests !== 0);
  expect(shown.traffic?.revisions).toMatchObject([
    { revision: first, percent: 50, errors: 0, replicas: { ready: 1 } },
    { revision: second, percent: 50, errors: 0, replicas: { ready: 1 } },
  ]);

  // The control plane is killed, and the next one knows the split.
  const { controlPlane } = await cloud.json<ServerProcesses & Record<string, unknown>>(["status"]);
  process.kill(controlPlane.pid, "SIGKILL");
  await until(
    async () => await cloud.call(["apps", "show", "app", "--json"]),
    ({ code, output }) => code === 0 && JSON.parse(output).traffic?.revisions[1]?.percent === 50,
  );

  const words = ["traffic", "set", "app", `${first}=95`, `${second}=5`];
  expect(await cloud.json(words)).toMatchObject({ status: "split" });
  load.seen.length = 0;
  await until(
    () => load.seen.length,
    (count) => count > 100,
  );
  for (const { caller, revision } of load.seen) {
    expect(revision).toBe(homeOf(caller));
  }

  expect(await cloud.json(["traffic", "promote", "app"])).toMatchObject({
    ...{ status: "active", revision: second, previous: first },
  });
  await untilOnly(load.seen, second);
  const third = await deploy("three", "--min-concurrency", "1", "--traffic", "60");
  await until(
    () => load.seen.at(-1)?.revision,
    (revision) => revision === third,
  );
  const { output } = await cloud.call(["traffic", "abort", "app"]);
  expect(output).toBe(`app serves ${second} only\n`);
  await untilOnly(load.seen, second);
  await load.stop();
  expect(load.faults).toEqual([]);

  const { usage } = await cloud.json<{ usage: UsageDocument[] }>(["usage", "app"]);
  const counted = usage[0]?.revisions ?? [];
  expect(counted.map(({ revision }) => revision)).toEqual([third, second, first]);
  expect(counted.every(({ requests, errors }) => requests > 0 && errors === 0)).toBe(true);
  const { output: text } = await cloud.call(["usage", "app"]);
  expect(text).toMatch(new RegExp(`^${third} +\\d+ +0 +0 `, "m"));
});

/** @returns the revisions of callers with enough turns, without those that may have begun before a change */
function placesOf(seen: readonly Seen[]): Map<number, Set<string>> {
  const byCaller = Map.groupBy(seen, ({ caller }) => caller);
  const later = [...byCaller].map(([caller, turns]) => [caller, turns.slice(2)] as const);
  return new Map(
    later
      .filter(([, turns]) => turns.length >= 5)
      .map(([caller, turns]) => [caller, new Set(turns.map(({ revision }) => revision))]),
  );
}

async function untilOnly(seen: Seen[], revision: string): Promise<void> {
  await until(
    () => seen.slice(-60),
    (last) => last.length === 60 && last.every((each) => each.revision === revision),
  );
}

test("a gateway that is killed finds the split again", { timeout: 120_000 }, async () => {
  const fourth = await deploy("four", "--min-concurrency", "1", "--traffic", "50");
  const placeOf = async (caller: number) =>
    await client.chat.completions
      .create({ model: "tiny", messages: [{ role: "user", content: `conversation ${caller}` }] })
      .withResponse()
      .then(({ response }) => response.headers.get("x-dctl-revision"));
  const places = async () => {
    const all: (string | null)[] = [];
    for (let caller = 0; caller < 12; caller += 1) all.push(await placeOf(caller));
    return all;
  };
  const before = await places();
  expect(before).toContain(fourth);
  const { gatewayProcess } = await cloud.json<ServerProcesses & Record<string, unknown>>([
    "status",
  ]);
  process.kill(gatewayProcess.pid, "SIGKILL");
  await until(
    async () => await placeOf(0).catch(() => undefined),
    (place) => place !== undefined,
  );
  expect(await places()).toEqual(before);
  const { runners } = await cloud.json<{ runners: ReplicaDocument[] }>(["runners", "list"]);
  expect(runners.filter(({ revision }) => revision === fourth)).toHaveLength(1);
  await cloud.json(["traffic", "abort", "app"]);
});

test("steps end with the first revision when the new one answers with more errors", {
  timeout: 120_000,
}, async () => {
  const steady = (await show()).activeRevision;
  const words = ["--traffic", "50,100", "--step-time", "1h", "--step-requests", "5"];
  const fifth = await deploy("five", "--min-concurrency", "1", ...words);
  const { output } = await cloud.call(["apps", "show", "app"]);
  expect(output).toMatch(/next 100 %, each after 60m\S* and 5 requests/);
  const ask = async (path: string, affinity: string) => {
    const url = `http://127.0.0.1:${cloud.gatewayPort}/local/app${path}`;
    const reply = await fetch(url, { headers: { "x-dctl-affinity": affinity } });
    return reply.headers.get("x-dctl-revision");
  };
  const texts = Array.from({ length: 30 }, (_, index) => `caller ${index}`);
  for (const text of texts) {
    const place = await ask("/v1/models", text);
    // The fake server answers this path with that status.
    if (place === fifth) expect(await ask("/status/500", text)).toBe(fifth);
  }
  await until(
    async () => (await show()).traffic,
    (traffic) => traffic === undefined,
  );
  expect((await show()).activeRevision).toBe(steady);
});
