// Repeated kill -9 of the gateway at every age of an app's replicas: none is lost, ended or started for it, and each
// caller that connects again is answered.
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ReplicaDocument, ReplicaState } from "../../../source/cloud/admin/documents.ts";
import { createRandom } from "../../performance/random.ts";
import { isProof } from "../../support/proof.ts";
import { until } from "../../support/until.ts";
import {
  clearFolder,
  clientOf,
  deployTo,
  fakeDeployment,
  killGateway,
  killServer,
  makeFolder,
  replicaProcesses,
  startServer,
} from "../support/real-server.ts";

const rounds = isProof ? 10 : 1;
const most = 3;
/** In the proof, idle replicas end within a round; shorter than the time that a new gateway's callers get. */
const keepAliveMs = isProof ? 5_000 : 60_000;
/** Time before the end of a replica within which it counts as about to end. */
const lastMs = 1_500;
const callLimitMs = 60_000;

let folder: string;
let baseUrl: string;
/** Replicas stay in their start while this file exists. */
let booting: string;
beforeEach(async () => {
  folder = makeFolder();
  booting = path.join(folder, "booting");
  ({ baseUrl } = await startServer(folder));
  const deployed = await deployTo(
    clientOf(folder),
    fakeDeployment("", {
      scale: { maxConcurrency: most, maxMultiplexing: 1, keepAliveMs },
      fake: { BOOT_WHILE: booting },
    }),
  );
  expect(deployed).toMatchObject({ kind: "done" });
  // The one that was verified.
  for (const { replica } of await living()) {
    await clientOf(folder).stopReplica(replica, { replace: false });
  }
  await untilNone();
});
afterEach(async () => {
  await killServer(folder);
  await clearFolder(folder);
});

const living = async (): Promise<ReplicaDocument[]> =>
  (await clientOf(folder).replicas("chat")).filter(({ state }) => state !== "TERMINATED");

async function untilNone(): Promise<void> {
  await until(living, ({ length }) => length === 0, callLimitMs);
}

/** Waits until all replicas are in one of the states, and known by their processes. */
async function untilAll(...states: ReplicaState[]): Promise<ReplicaDocument[]> {
  const isThere = ({ state, processId }: ReplicaDocument) =>
    states.includes(state) && processId !== undefined;
  return await until(living, (all) => all.length === most && all.every(isThere), callLimitMs);
}

interface Call {
  status: number;
  replica: string | null;
}

/** Calls the app, and connects again whenever the gateway goes. */
async function call(route: string): Promise<Call | undefined> {
  const ask = async () => {
    const reply = await fetch(`${baseUrl}/local/chat${route}`);
    await reply.text();
    return { status: reply.status, replica: reply.headers.get("x-dctl-replica") };
  };
  return await until(
    () => ask().catch(() => undefined),
    (reply) => reply !== undefined,
    callLimitMs,
  );
}

/** Calls as often as there can be replicas, at the same time. */
function callAll(route: string): Promise<(Call | undefined)[]> {
  return Promise.all(Array.from({ length: most }, async () => await call(route)));
}

const identity = ({ replica, processId }: ReplicaDocument) => ({ replica, processId });

/** Kills the gateway. Its successor must find the same replicas, and no others. */
async function killBeside(before: readonly ReplicaDocument[]): Promise<void> {
  const names = before.map(({ replica }) => replica);
  const killedAt = Date.now();
  await killGateway(folder);
  // A replica may have ended before.
  const ended = (await endings(names)).filter(({ at }) => at <= killedAt);
  const expected = before.filter(({ replica }) => ended.every((each) => each.replica !== replica));
  expect((await living()).map(identity)).toEqual(expected.map(identity));
}

/** Returns the events that say why replicas were ended. */
async function endings(replicas: readonly string[]): Promise<{ replica: string; at: number }[]> {
  const found: { replica: string; at: number }[] = [];
  for await (const { kind, replica = "", at } of clientOf(folder).events({})) {
    if (kind === "scaled" && replicas.includes(replica)) found.push({ replica, at });
  }
  return found;
}

function expectAnswered(
  calls: readonly (Call | undefined)[],
  by: readonly ReplicaDocument[],
): void {
  const names = by.map(({ replica }) => replica);
  for (const reply of calls) {
    expect(reply?.status).toBe(200);
    expect(names).toContain(reply?.replica);
  }
}

it(`${rounds} lives of replicas with a kill of the gateway at every age lose nothing`, async () => {
  const random = createRandom(1);
  const pause = async (mostMs: number) => await wait(random() % mostMs);
  for (let round = 0; round < rounds; round += 1) {
    // Starting, for callers that wait.
    writeFileSync(booting, "");
    const first = callAll("/v1/models");
    const all = await untilAll("SETUP");
    await pause(300);
    await killBeside(all);

    // Just ready, or nearly.
    rmSync(booting);
    await until(living, (now) => now.some(({ state }) => state === "IDLE" || state === "RUNNING"));
    await pause(300);
    await killBeside(all);
    expectAnswered(await first, all);

    // Busy.
    await untilAll("IDLE");
    const second = callAll("/wait?ms=2000");
    await untilAll("RUNNING");
    await pause(1_000);
    await killBeside(all);
    expectAnswered(await second, all);

    // Idle.
    await untilAll("IDLE");
    await pause(1_000);
    await killBeside(all);
    expectAnswered(await callAll("/v1/models"), all);
    expect([...(await replicaProcesses(folder)).keys()]).toHaveLength(most);

    if (!isProof) return;
    // About to end.
    const idle = await until(living, (now) => now.some(({ expiresAt }) => expiresAt !== undefined));
    const ends = idle.flatMap(({ expiresAt }) => expiresAt ?? []);
    await wait(Math.max(0, Math.min(...ends) - lastMs - Date.now()));
    await pause(lastMs);
    await killBeside(all);
    const left = await living();
    // Callers get longer than that to come back.
    await wait(2 * lastMs);
    expect((await living()).map(identity)).toEqual(left.map(identity));
    expectAnswered(await callAll("/v1/models"), await living());

    // They end when nobody needs them, and all for that reason.
    await untilNone();
    const replicas = await clientOf(folder).replicas("chat");
    const names = all.map(({ replica }) => replica);
    const own = replicas.filter(({ replica }) => names.includes(replica));
    expect(own.map(({ exit }) => exit?.reason)).toEqual(names.map(() => "stopped"));
    expect((await endings(names)).map(({ replica }) => replica).sort()).toEqual([...names].sort());
    await expect.poll(() => replicaProcesses(folder)).toMatchObject({ size: 0 });
  }
}, 600_000);
