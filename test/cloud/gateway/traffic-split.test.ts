// Requests of an app whose traffic is split between two revisions.
import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultScale } from "../../../source/cloud/app-config.ts";
import type { RoutedApp, RoutedCandidate } from "../../../source/cloud/gateway/traffic.ts";
import { routedApp } from "../../support/cloud-documents.ts";
import { TestGateway, type TestReplica } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

const active = "r0001-00000000";
const fresh = "r0002-00000000";

let gateway: TestGateway;
let old: TestReplica;
let candidate: TestReplica;
let held: (() => void)[];
let authorizations: (string | undefined)[];

beforeEach(async () => {
  gateway = await TestGateway.start();
  held = [];
  authorizations = [];
  const replica = (name: string) =>
    gateway.addReplica((request, response) => {
      authorizations.push(request.headers.authorization);
      request.resume();
      const end = () => response.end(name);
      if (request.url === "/hold") held.push(end);
      else request.once("end", end);
    }, name);
  old = await replica("old");
  candidate = await replica("new");
  publish();
});
afterEach(() => gateway.close());

interface Change {
  percent?: number;
  candidate?: Partial<RoutedCandidate>;
  isOpen?: boolean;
  app?: Partial<RoutedApp>;
}

function publish({ percent = 10, isOpen = true, ...change }: Change = {}): void {
  const split: RoutedCandidate = {
    ...{ revision: fresh, percent, maxMultiplexing: 64 },
    ...{ upstreamAuthorization: "Bearer new", canStart: true },
    ...change.candidate,
  };
  const replicas = [old.routed(), candidate.routed({ revision: fresh, isOpen })];
  gateway.gateway.table.publish([
    routedApp({
      ...{ replicas, candidate: split, upstreamAuthorization: "Bearer old" },
      scale: { ...defaultScale, maxConcurrency: 1, maxMultiplexing: 1 },
      ...change.app,
    }),
  ]);
}

async function ask(
  route: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<string> {
  const text = body === undefined ? null : JSON.stringify(body);
  const url = `${gateway.url}/acme/chat${route}`;
  return await (await fetch(url, { method: "POST", body: text, headers })).text();
}

const turn = (question: string, ...further: string[]) => ({
  model: "tiny",
  messages: [question, ...further].map((content, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content,
  })),
});

/** @returns the replicas of 100 conversations */
async function conversations(...further: string[]): Promise<string[]> {
  const places: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    places.push(await ask("/v1/chat/completions", { body: turn(`question ${index}`, ...further) }));
  }
  return places;
}

const count = (places: readonly string[]) => places.filter((place) => place === "new").length;

test("requests without a conversation are shared exactly", async () => {
  const places: string[] = [];
  for (let index = 0; index < 50; index += 1) places.push(await ask("/v1/models"));
  expect(count(places)).toBe(5);
  expect(authorizations.filter((text) => text === "Bearer new")).toHaveLength(5);
  expect(authorizations.filter((text) => text === "Bearer old")).toHaveLength(45);
});

test("a conversation stays on its revision, also when the shares change", async () => {
  publish({ percent: 30 });
  const first = await conversations();
  expect(count(first)).toBeGreaterThan(10);
  expect(count(first)).toBeLessThan(55);
  // Another gateway would choose the same, as it knows the same text.
  expect(await conversations()).toEqual(first);
  publish({ percent: 80 });
  expect(await conversations("an answer", "and then?")).toEqual(first);
  expect(count(await conversations())).toBeGreaterThan(count(first));
  publish({ app: { candidate: undefined, replicas: [old.routed()] } });
  expect(count(await conversations("an answer", "and then?"))).toBe(0);
});

test("X-Dctl-Affinity chooses one revision for the same text", async () => {
  publish({ percent: 50 });
  const places = new Map<string, Set<string>>();
  for (let index = 0; index < 60; index += 1) {
    const affinity = `user ${index % 20}`;
    const place = await ask("/v1/models", { headers: { "x-dctl-affinity": affinity } });
    places.set(affinity, (places.get(affinity) ?? new Set()).add(place));
  }
  expect([...places.values()].every((each) => each.size === 1)).toBe(true);
  expect(new Set([...places.values()].flatMap((each) => [...each]))).toEqual(
    new Set(["old", "new"]),
  );
});

test("requests that wait for one revision do not hold up the other", async () => {
  publish({ percent: 99, isOpen: false });
  const waiting = ask("/v1/models");
  const { table } = gateway.gateway;
  await expect.poll(() => table.demand("acme", "chat").ofCandidate?.queued).toBe(1);
  expect(table.demand("acme", "chat")).toMatchObject({ queued: 1, ofActive: { queued: 0 } });
  // Health checks go to any replica.
  expect(await (await fetch(`${gateway.url}/acme/chat/health`)).text()).toBe("old");
  publish({ percent: 1, isOpen: false });
  expect(await ask("/v1/models")).toBe("old");
  publish({ percent: 1 });
  expect(await waiting).toBe("new");
});

test("a candidate that cannot start leaves its requests to the active revision", async () => {
  publish({ percent: 99, isOpen: false, candidate: { canStart: false } });
  expect(await ask("/v1/models")).toBe("old");
  publish({ percent: 99, isOpen: false });
  const failing = { headers: { "x-dctl-cold-start": "fail" } };
  expect(await ask("/v1/models", failing)).toBe("old");
});

test("a request whose replica is gone goes to the other revision, and counts as answered there", async () => {
  publish({ percent: 99 });
  await candidate.close();
  expect(await ask("/v1/models", { body: {} })).toBe("old");
  const [record] = await until(
    () => gateway.records,
    ({ length }) => length === 1,
  );
  expect(record).toMatchObject({ status: 200, revision: active });
});

test("each revision has its own number of requests at a time", async () => {
  publish({ percent: 50, candidate: { maxMultiplexing: 2 } });
  const all = Array.from({ length: 6 }, () => ask("/hold"));
  await expect.poll(() => held.length).toBe(3);
  const { table } = gateway.gateway;
  expect([table.inFlight("old"), table.inFlight("new")]).toEqual([1, 2]);
  await until(
    () => {
      for (const end of held.splice(0)) end();
      return table.demand("acme", "chat").busy;
    },
    (busy) => busy === 0,
  );
  expect(count(await Promise.all(all))).toBe(3);
});
