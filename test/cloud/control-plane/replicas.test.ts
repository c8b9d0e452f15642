// Replicas over time: they grow with the demand, end when idle, and are replaced when they crash.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import type { DeploymentRequest } from "../../../source/cloud/admin/documents.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { until } from "../../support/until.ts";
import {
  deployment,
  type OpenControlPlane,
  openControlPlane,
} from "../support/open-control-plane.ts";

let open: OpenControlPlane;
beforeEach(async () => {
  open = await openControlPlane();
});
afterEach(async () => {
  await open.close();
});

const chat = { organisation: "local", app: "chat" };
const routed = () => open.traffic.open("chat");
const state = () => open.plane.documents.app(chat).state;
/** Undefined also while the next attempt runs. */
const failureOfBackoff = () =>
  state() === "CRASH_BACKOFF" ? open.traffic.app("chat")?.failure : undefined;
const stopped = () => open.engine.stopped.map(({ replica }) => replica);

describe("demand", () => {
  it("wakes a sleeping app with one start for fifty requests", async () => {
    await open.deploy(deployment("one", { scale: { keepAliveMs: 0 } }));
    await until(state, (now) => now === "COLD");
    open.engine.fate = () => "wait";
    for (let queued = 1; queued <= 50; queued += 1) open.traffic.ask("chat", { queued });
    const fresh = await until(
      () => open.engine.living[0],
      (replica) => replica !== undefined,
    );
    expect(state()).toBe("STARTING");
    open.engine.become(fresh ?? "", "ready");
    await until(routed, ({ length }) => length === 1);
    expect(open.engine.started).toHaveLength(2);
  });

  it("scales up to the maximum, and down to one busy replica", async () => {
    await open.deploy(deployment("one", { scale: { maxConcurrency: 3, keepAliveMs: 5000 } }));
    open.traffic.ask("chat", { busy: 1, queued: 9 });
    const three = await until(routed, ({ length }) => length === 3);
    open.traffic.hold(three[1] ?? "", 1);
    open.traffic.ask("chat", { busy: 1 });
    await until(routed, ({ length }) => length === 1);
    expect(routed()).toEqual([three[1]]);
    await expect.poll(() => stopped().toSorted()).toEqual([three[0], three[2]].toSorted());
  });

  it("does not stop a drained replica that still has a request", async () => {
    await open.deploy(deployment("one"));
    const [replica] = routed();
    open.traffic.hold(replica ?? "", 1);
    open.plane.commands.stopReplica(replica ?? "", { replace: false });
    expect(routed()).toEqual([]);
    expect(open.plane.documents.replicas(chat)[0]).toMatchObject({
      state: "DRAINING",
      inFlight: 1,
    });
    expect(stopped()).toEqual([]);
    open.traffic.hold(replica ?? "", 0);
    await until(stopped, (names) => names.includes(replica ?? ""));
  });

  it("keeps the settings of apps scale across deployments until they are reset", async () => {
    await open.deploy(deployment("one"));
    open.plane.commands.scale(chat, { minConcurrency: 2, maxConcurrency: 2 });
    await until(routed, ({ length }) => length === 2);
    await open.deploy(deployment("two"));
    expect(open.plane.documents.app(chat)).toMatchObject({
      scale: { minConcurrency: 2 },
      overrides: ["minConcurrency", "maxConcurrency"],
    });
    open.plane.commands.scale(chat, undefined);
    expect(open.plane.documents.app(chat)).toMatchObject({
      scale: { minConcurrency: 0 },
      overrides: [],
    });
    expect(() => open.plane.commands.scale(chat, { minConcurrency: 5 })).toThrow(ProductError);
  });
});

describe("a crash", () => {
  it("of a running replica is repaired at once", async () => {
    await open.deploy(deployment("one", { scale: { minConcurrency: 1 } }));
    const [first] = routed();
    open.engine.end(first ?? "", { reason: "killed", sentence: "It was killed by signal 9." });
    await until(routed, (names) => names.length === 1 && names[0] !== first);
    expect(open.plane.documents.replicas(chat)[0]).toMatchObject({
      replica: first,
      state: "TERMINATED",
      exit: { reason: "killed" },
    });
  });

  it("of every start in a row is reported to callers, who wait again after the back-off", async () => {
    await open.deploy(deployment("one", { scale: { keepAliveMs: 0 } }));
    await until(state, (now) => now === "COLD");
    open.engine.fate = () => ({ exit: { sentence: "No weights." } });
    open.traffic.ask("chat", { queued: 1 });
    const failure = await until(failureOfBackoff, (found) => found !== undefined);
    expect(failure).toEqual({
      errorType: "startup_failed",
      sentence: expect.stringContaining("No weights (revision "),
    });
    // Without the cause the next attempt succeeds and resets the count.
    open.engine.fate = () => "ready";
    await until(routed, ({ length }) => length === 1);
    expect(open.traffic.app("chat")?.failure).toBeUndefined();
  });

  it("soon after each start is retried with longer and longer waits, whatever was answered", async () => {
    await open.close();
    // Never reached, however slow the machine is.
    open = await openControlPlane({ stableMs: Number.MAX_SAFE_INTEGER });
    await open.deploy(deployment("one", { scale: { minConcurrency: 1 } }));
    const crashAll = () => {
      for (const replica of routed()) {
        open.traffic.lastUsed.set(replica, open.clock.wallMs());
        open.engine.end(replica, { sentence: "It met a poisoned request." });
      }
    };
    const failure = await until(
      () => {
        crashAll();
        return failureOfBackoff();
      },
      (found) => found !== undefined,
    );
    expect(failure).toEqual({
      errorType: "startup_failed",
      sentence: expect.stringMatching(/^It met a poisoned request \(revision r0001-\w+, \d+ times/),
    });
    const [revision] = open.store.revisions.list(chat);
    expect(revision?.failures).toBeGreaterThanOrEqual(3);
    // 0, 1, 2 … s lay between them.
    const ended = open.store.replicas.list().flatMap(({ endedAt }) => endedAt ?? []);
    const waits = ended.slice(1).map((at, index) => at - (ended[index] ?? 0));
    expect(waits.at(-1)).toBeGreaterThanOrEqual(1000 * 2 ** (ended.length - 3));
  });

  it("is not waited for when health checks fail: the replica is stopped and replaced", async () => {
    await open.deploy(deployment("one", { scale: { minConcurrency: 1 } }));
    const [sick] = routed();
    open.traffic.hold(sick ?? "", 1);
    open.engine.become(sick ?? "", "unhealthy");
    await until(routed, (names) => names.length === 1 && names[0] !== sick);
    expect(open.plane.documents.replicas(chat)[0]).toMatchObject({
      replica: sick,
      state: "UNHEALTHY",
    });
    open.traffic.hold(sick ?? "", 0);
    await until(stopped, (names) => names.includes(sick ?? ""));
  });
});

it("an app that does not fit the machine says so, and starts when there is room", async () => {
  await open.deploy(deployment("one", { scale: { keepAliveMs: 0 } }));
  await until(state, (now) => now === "COLD");
  open.engine.slots = 0;
  open.traffic.ask("chat", { queued: 1 });
  await until(state, (now) => now === "UNSCHEDULABLE");
  expect(open.plane.documents.app(chat).reason).toBe("no room");
  expect(open.traffic.app("chat")?.failure).toBeUndefined();
  open.engine.shortage = { reason: "no H100 here", canEverFit: false };
  await expect
    .poll(() => open.traffic.app("chat")?.failure)
    .toMatchObject({ errorType: "runner_scheduling_failure" });
  open.engine.slots = 1;
  await until(routed, ({ length }) => length === 1);
  expect(open.traffic.app("chat")?.failure).toBeUndefined();
});

it("a killed replica ends at once, with its requests", async () => {
  await open.deploy(deployment("one"));
  const [replica] = routed();
  open.traffic.hold(replica ?? "", 1);
  open.plane.commands.killReplica(replica ?? "");
  await expect.poll(() => open.engine.stopped).toHaveLength(1);
  expect(open.engine.stopped).toEqual([{ replica, signal: "kill" }]);
  expect(() => open.plane.commands.killReplica(replica ?? "")).toThrow(ProductError);
});

describe("pausing", () => {
  it("refuses callers and stops replicas; resuming restores the minimum", async () => {
    await open.deploy(deployment("one", { scale: { minConcurrency: 1 } }));
    open.plane.commands.pause(chat);
    expect(open.plane.documents.app(chat).state).toBe("PAUSED");
    expect(open.traffic.app("chat")?.state).toBe("paused");
    await expect.poll(() => open.engine.living).toHaveLength(0);
    open.plane.commands.resume(chat);
    await until(routed, ({ length }) => length === 1);
    expect(state()).toBe("READY");
  });
});

describe("deleting", () => {
  it("answers running requests, then leaves a tombstone; the name can be used again", async () => {
    await open.deploy(deployment("one", { secrets: { API_KEY: "a" } }));
    const [replica] = routed();
    open.traffic.hold(replica ?? "", 1);
    await open.plane.commands.delete(chat);
    expect(open.traffic.app("chat")).toMatchObject({ state: "deleted" });
    await until(state, (now) => now === "DELETING");
    await expect(open.deploy(deployment("two"))).rejects.toMatchObject({
      code: cloudErrors.conflict.code,
    });
    open.traffic.hold(replica ?? "", 0);
    await expect.poll(() => open.plane.documents.apps()).toHaveLength(0);
    expect(open.traffic.app("chat")).toMatchObject({ state: "deleted", replicas: [] });
    expect(open.engine.destroyed).toHaveLength(1);
    expect(open.store.database.get("SELECT count(*) AS n FROM secrets")?.n).toBe(0);
    const events = await open.deploy(deployment("two"));
    expect(events.at(-1)).toMatchObject({ result: { revision: expect.stringMatching(/^r0002/) } });
    expect(open.traffic.app("chat")?.state).toBe("active");
  });

  it("cancels a running deployment", async () => {
    open.engine.fate = () => "wait";
    const deploying = open.deploy(deployment("one"));
    await expect.poll(() => open.engine.living).toHaveLength(1);
    await open.plane.commands.delete(chat);
    expect((await deploying).at(-1)).toMatchObject({ code: cloudErrors.deployAborted.code });
    await expect.poll(() => open.engine.living).toHaveLength(0);
  });
});

describe("a run", () => {
  async function run(signal: AbortSignal) {
    const events = await open.plane.runs.run(deployment("one"), "local", signal);
    return events[Symbol.asyncIterator]();
  }
  async function runUntilDone(signal: AbortSignal) {
    const events = await run(signal);
    for (let next = await events.next(); next.value?.kind !== "done"; next = await events.next()) {
      if (next.done || next.value.kind === "failed") throw new Error(JSON.stringify(next));
    }
    return events;
  }

  it("lives as long as its connection and leaves nothing behind", async () => {
    const connection = new AbortController();
    await runUntilDone(connection.signal);
    expect(routed()).toHaveLength(1);
    expect(open.plane.documents.app(chat)).toMatchObject({ isEphemeral: true, state: "READY" });
    await expect(open.deploy(deployment("two"))).rejects.toMatchObject({
      code: cloudErrors.conflict.code,
    });
    connection.abort();
    await expect.poll(() => open.store.apps.list()).toHaveLength(0);
    expect(open.engine.living).toEqual([]);
  });

  it("ends with its replica, which is not started again", async () => {
    const events = await runUntilDone(new AbortController().signal);
    open.engine.end(routed()[0] ?? "", { reason: "returned", sentence: "serve() returned." });
    let ended = await events.next();
    while (!ended.done && ended.value.kind !== "ended") ended = await events.next();
    expect(ended.value).toMatchObject({ kind: "ended", exit: { reason: "returned" } });
    await expect.poll(() => open.store.apps.list()).toHaveLength(0);
    expect(open.engine.started).toHaveLength(1);
  });

  it("is named like its script, with a number if another app has the name", async () => {
    const names = async (change: Partial<DeploymentRequest>) => {
      const request = { ...deployment("one", change), name: undefined };
      const { signal } = new AbortController();
      for await (const event of await open.plane.runs.run(request, "local", signal)) {
        if (event.kind === "done") return event.result.app;
      }
      throw new Error("It never ran.");
    };
    expect(await names({})).toBe("local/app");
    expect(await names({})).toBe("local/app-2");
    const { inspection } = deployment("one");
    const named = { ...inspection, config: { app_name: "my-chat" } };
    expect(await names({ inspection: named })).toBe("local/my-chat");
  });

  it("is cancelled when its client disconnects during the start", async () => {
    open.engine.fate = () => "wait";
    const connection = new AbortController();
    await run(connection.signal);
    await expect.poll(() => open.engine.living).toHaveLength(1);
    connection.abort();
    await expect.poll(() => open.store.apps.list()).toHaveLength(0);
    expect(open.engine.living).toEqual([]);
  });
});
