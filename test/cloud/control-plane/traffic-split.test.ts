// Split traffic: a new revision beside the active one, its shares, its steps, and its end.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  AppDetails,
  DeployEvent,
  DeploymentRequest,
} from "../../../source/cloud/admin/documents.ts";
import type { ExchangeRecord } from "../../../source/cloud/gateway/exchange-record.ts";
import { until } from "../../support/until.ts";
import {
  deployment,
  type OpenControlPlane,
  openControlPlane,
} from "../support/open-control-plane.ts";

let open: OpenControlPlane;
let first: string;
let second: string;
beforeEach(async () => {
  open = await openControlPlane();
});
afterEach(async () => await open.close());

const chat = { organisation: "local", app: "chat" };
const shown = (): AppDetails => open.plane.documents.app(chat);
const shares = () => shown().traffic?.revisions.map(({ percent }) => percent);
const stateOf = (revision: string) =>
  open.plane.documents.revisions(chat).find((each) => each.revision === revision)?.state;
const readyOf = (revision: string) =>
  open.traffic
    .app("chat")
    ?.replicas.filter((replica) => replica.revision === revision && replica.isOpen).length;

async function read(events: AsyncIterable<DeployEvent>): Promise<DeployEvent | undefined> {
  let last: DeployEvent | undefined;
  for await (const event of events) last = event;
  return last;
}

const scale = { minConcurrency: 1, maxConcurrency: 4, maxMultiplexing: 1 };

async function split(
  percents: number[],
  change: Partial<DeploymentRequest["traffic"]> & { scale?: Partial<typeof scale> } = {},
): Promise<void> {
  const { scale: own, ...plan } = change;
  const with_ = { scale: { ...scale, ...own } };
  await open.deploy(deployment("one", with_));
  first = shown().activeRevision ?? "";
  const ending = (
    await open.deploy({ ...deployment("two", with_), traffic: { percents, ...plan } })
  ).at(-1);
  if (ending?.kind !== "done") throw new Error(JSON.stringify(ending));
  expect(ending.result).toMatchObject({ status: "split", previous: first });
  second = ending.result.revision;
}

function answer(revision: string, status: number, times: number): void {
  const record: ExchangeRecord = {
    ...{ id: "req_1", startedAt: 0, ...chat, revision, replica: "x", keyId: undefined },
    ...{ address: "", method: "POST", path: "/", status, errorType: undefined },
    ...{ isColdStart: false, queueMs: 0, firstByteMs: 20, totalMs: 30, receivedBytes: 0 },
    ...{ sentBytes: 0, tokens: undefined },
  };
  for (let time = 0; time < times; time += 1) open.plane.noteAnswer(record);
}

describe("a deployment with a share", () => {
  it("leaves the active revision in place, and both keep their parts of the scale", async () => {
    await split([25], { scale: { minConcurrency: 4 } });
    expect(shown().activeRevision).toBe(first);
    expect([stateOf(first), stateOf(second)]).toEqual(["ACTIVE", "CANARY"]);
    expect(open.traffic.app("chat")?.candidate).toMatchObject({ revision: second, percent: 25 });
    await expect.poll(() => [readyOf(first), readyOf(second)]).toEqual([4, 1]);
    // Idle replicas beyond its part end.
    await expect.poll(() => readyOf(first)).toBe(3);
    expect(shown()).toMatchObject({ state: "READY", replicas: { wanted: 4 } });
    const waiting = { queued: 4, oldestQueuedMs: 1000 };
    open.traffic.ask("chat", { busy: 0, ...waiting, ofCandidate: waiting, ofActive: none });
    // At most its part, rounded up.
    await expect.poll(() => open.engine.living).toHaveLength(4);
  });

  it("fails without room beside the active revision, which goes on", async () => {
    open.engine.slots = 1;
    await open.deploy(deployment("one"));
    const events = await open.deploy({ ...deployment("two"), traffic: { percents: [10] } });
    expect(events.at(-1)).toMatchObject({ kind: "failed", exitCode: 9 });
    expect(shown()).toMatchObject({ state: "READY", traffic: undefined });
    expect(open.traffic.open("chat")).toHaveLength(1);
  });

  it.each([
    ["no active revision", { percents: [10] }, "There is no active revision"],
    ["shares that shrink", { percents: [50, 10] }, "do not grow from 1 to 100"],
    ["all at once", { percents: [100] }, "do not grow from 1 to 100"],
  ])("is refused with %s", async (_, traffic, sentence) => {
    await expect(open.deploy({ ...deployment("one"), traffic })).rejects.toThrow(sentence);
  });
});

const none = { queued: 0, oldestQueuedMs: 0 };

describe("a split", () => {
  it("changes its shares, survives a restart, and is promoted with enough replicas", async () => {
    await split([10], { scale: { minConcurrency: 3 } });
    await expect.poll(() => readyOf(second)).toBe(1);
    answer(second, 200, 3);
    answer(second, 502, 1);
    expect(await read(open.plane.traffic.set(chat, shareOf(50)).read())).toMatchObject({
      result: { status: "split", traffic: shareOf(50) },
    });
    // Figures count from the change on.
    expect(shown().traffic?.revisions[1]).toMatchObject({ requests: 0, errors: 0 });
    answer(second, 502, 1);
    answer(first, 200, 2);
    await open.restart();
    expect(shown().traffic?.revisions).toMatchObject([
      { revision: first, percent: 50, requests: 2, errors: 0, ttfbMsP50: expect.any(Number) },
      { revision: second, percent: 50, requests: 1, errors: 1 },
    ]);
    const before = open.engine.started.length;
    expect(await read(open.plane.traffic.promote(chat).read())).toMatchObject({
      result: { status: "active", revision: second, previous: first },
    });
    expect(open.engine.started.length).toBeGreaterThan(before);
    expect(readyOf(second)).toBeGreaterThanOrEqual(3);
    expect(shown()).toMatchObject({ activeRevision: second, traffic: undefined });
    await expect.poll(() => readyOf(first)).toBe(0);
    expect([stateOf(first), stateOf(second)]).toEqual(["SUPERSEDED", "ACTIVE"]);
  });

  it.each([
    ["aborted", async () => await open.plane.traffic.abort(chat)],
    ["rolled back", async () => await read(activate("previous"))],
    ["left for the active revision", async () => await read(activate(first))],
  ])("is %s, and requests of the new revision finish", async (_, end) => {
    await split([50]);
    const [replica = ""] = open.engine.living.slice(-1);
    open.traffic.hold(replica, 1);
    await end();
    expect(shown()).toMatchObject({ activeRevision: first, traffic: undefined, state: "READY" });
    expect(stateOf(second)).toBe("ABORTED");
    expect(readyOf(second)).toBe(0);
    expect(open.engine.living).toContain(replica);
    open.traffic.hold(replica, 0);
    await expect.poll(() => open.engine.living).not.toContain(replica);
    await expect(open.plane.traffic.abort(chat)).rejects.toThrow("is not split");
  });

  it("counts errors of each revision apart, and names the one that fails", async () => {
    await split([50]);
    await expect.poll(() => shown().state).toBe("READY");
    answer(second, 500, 4);
    answer(first, 200, 1);
    expect(shown().reason).toBeUndefined();
    answer(second, 500, 1);
    const reason = `The last 5 answers of ${second} were errors, the latest with status 500.`;
    expect(shown()).toMatchObject({ state: "DEGRADED", reason });
    await open.plane.traffic.abort(chat);
    expect(shown()).toMatchObject({ state: "READY", reason: undefined });
  });

  it("ends when its new revision is activated", async () => {
    await split([50]);
    expect(await read(activate(second))).toMatchObject({ result: { status: "active" } });
    expect(shown()).toMatchObject({ activeRevision: second, traffic: undefined });
  });

  it("refuses another deployment, which may replace it by force", async () => {
    await split([50]);
    await expect(open.deploy(deployment("three"))).rejects.toThrow(/is split \(r0001.* 50 %\)/);
    expect(() => open.plane.deployments.replaceReplicas(chat)).toThrow("is split");
    open.engine.fate = () => ({ exit: { reason: "import_error" } });
    await open.deploy({ ...deployment("three"), isForced: true });
    expect(shares()).toEqual([50, 50]);
    open.engine.fate = () => "ready";
    await open.deploy({ ...deployment("four"), isForced: true, traffic: { percents: [5] } });
    expect(shares()).toEqual([95, 5]);
    expect(stateOf(second)).toBe("ABORTED");
    await expect.poll(() => readyOf(second) ?? 0).toBe(0);
    await open.deploy({ ...deployment("five"), isForced: true });
    expect(shown()).toMatchObject({ traffic: undefined });
    await expect.poll(() => open.engine.living).toHaveLength(1);
  });

  it("starts an earlier revision, and refuses what cannot be split", async () => {
    await open.deploy(deployment("one"));
    first = shown().activeRevision ?? "";
    await open.deploy(deployment("two"));
    second = shown().activeRevision ?? "";
    const set = (...percents: [string, number][]) =>
      open.plane.traffic.set(
        chat,
        percents.map(([revision, percent]) => ({ revision, percent })),
      );
    const wrong: [[string, number][], string][] = [
      [[["r1", 100]], "between two revisions, not 1"],
      [
        [
          ["r1", 20],
          ["r2", 40],
          ["r3", 40],
        ],
        "between two revisions, not 3",
      ],
      [
        [
          ["r1", 50],
          ["r1", 50],
        ],
        "is named twice",
      ],
      [
        [
          ["r1", 50],
          ["r2", 40],
        ],
        "add up to 90 %, not 100 %",
      ],
      [
        [
          ["r1", 50],
          ["r4", 50],
        ],
        'no revision "r4"',
      ],
      [
        [
          ["r1", 0],
          ["r2", 100],
        ],
        "A share is 1 to 99 %, not 0 %",
      ],
    ];
    for (const [words, sentence] of wrong) expect(() => set(...words)).toThrow(sentence);
    open.plane.commands.pause(chat);
    expect(() => set(["r1", 10], ["r2", 90])).toThrow("is paused, so its traffic cannot be split");
    open.plane.commands.resume(chat);
    open.store.revisions.update({ ...chat, revision: first }, { state: "RETIRED" });
    expect(() => set(["r1", 10], ["r2", 90])).toThrow("is retired");
    open.store.revisions.update({ ...chat, revision: first }, { state: "SUPERSEDED" });
    expect(await read(set(["r1", 10], ["r2", 90]).read())).toMatchObject({
      result: { status: "split", revision: first },
    });
    expect(shares()).toEqual([90, 10]);
    expect(readyOf(first)).toBe(1);
    await expect(open.plane.commands.deleteRevision(chat, "r1")).rejects.toThrow("in use");
    await open.plane.traffic.abort(chat);
    expect(stateOf(first)).toBe("SUPERSEDED");
  });

  it("routes to the active revision while the new one cannot start", async () => {
    await split([50]);
    open.engine.fate = () => ({ exit: { reason: "exited" } });
    for (const { replica, plan } of open.engine.started) {
      if (plan.revision === second) open.engine.end(replica);
    }
    await until(
      () => open.traffic.app("chat")?.candidate?.canStart,
      (canStart) => canStart === false,
    );
    expect(shown().traffic?.revisions[1]?.reason).toBe("It ended.");
    expect(shares()).toEqual([50, 50]);
  });
});

describe("steps", () => {
  it("wait for their time and their requests, and end with the new revision active", async () => {
    await split([10, 50, 100], { stepMs: 2000, minRequests: 5 });
    answer(second, 200, 4);
    const since = open.clock.wallMs();
    await until(
      () => open.clock.wallMs(),
      (now) => now > since + 5000,
    );
    expect(shares()).toEqual([90, 10]);
    answer(second, 500, 1);
    // The old one fails as often.
    answer(first, 500, 1);
    await expect.poll(shares).toEqual([50, 50]);
    answer(second, 200, 5);
    await expect.poll(() => shown().activeRevision).toBe(second);
    expect(shown().traffic).toBeUndefined();
  });

  it("end when the new revision fails more often", async () => {
    await split([10, 50, 100], { stepMs: 600_000, minRequests: 5 });
    answer(first, 200, 45);
    answer(second, 500, 4);
    expect(shares()).toEqual([90, 10]);
    answer(second, 200, 1);
    await expect.poll(() => shown().traffic).toBeUndefined();
    expect(shown().activeRevision).toBe(first);
    expect(open.store.events.list({}).map(({ sentence }) => sentence)).toContainEqual(
      expect.stringMatching(
        /^r0001-\w+ gets all traffic again: r0002-\w+ failed 4 of 5 requests, r0001-\w+ 0 of 45 requests\.$/,
      ),
    );
  });

  it("end when the new revision's replicas exit again and again", async () => {
    await split([10, 100]);
    open.engine.fate = () => ({ exit: { reason: "exited" } });
    for (const { replica, plan } of open.engine.started) {
      if (plan.revision === second) open.engine.end(replica);
    }
    await expect.poll(() => shown().traffic, { timeout: 10_000 }).toBeUndefined();
    expect(shown()).toMatchObject({ activeRevision: first, state: "READY" });
  });

  it("stop when a share is set by hand", async () => {
    await split([10, 50, 100], { stepMs: 1000, minRequests: 1 });
    await read(open.plane.traffic.set(chat, shareOf(20)).read());
    answer(second, 500, 30);
    const since = open.clock.wallMs();
    await until(
      () => open.clock.wallMs(),
      (now) => now > since + 5000,
    );
    expect(shares()).toEqual([80, 20]);
  });
});

const shareOf = (percent: number) => [
  { revision: first, percent: 100 - percent },
  { revision: second, percent },
];

const activate = (revision: string) => open.plane.deployments.activate(chat, { revision });
