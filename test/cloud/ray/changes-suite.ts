// Applications that start, stop and die beside others, which lose nothing by it.
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Engine, RevisionPlan } from "../../../source/cloud/engines/engine.ts";
import { makePlan, untilPhase } from "../../support/process-engine.ts";
import type { RayCluster } from "../support/ray-cluster.ts";
import { endRayEngine, openRayEngine } from "../support/ray-engine.ts";

/** Applications that run at the same time; each takes one processor of the cluster. */
export const applications = Number(process.env.RAY_APPLICATIONS ?? 6);
/** A start takes 2 s, and up to 20 s where the workers of the others keep all processors busy. */
const limitMs = 120_000 + applications * 30_000;
/** A sixth of the applications is called, another sixth is stopped, and two sixths are killed. */
const share = Math.max(1, Math.floor(applications / 6));
const startsAtOnce = 10;
const callers = 4;

/** @param cluster the running cluster, once tests run */
export function changesSuite(cluster: () => RayCluster): void {
  let folder: string;
  let engine: Engine;
  let plan: RevisionPlan;
  const names = Array.from({ length: applications }, (_, number) => `r${number}`);
  const called = names.slice(0, share);
  const stopped = names.slice(share, 2 * share);
  const killed = names.slice(2 * share, 4 * share);

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "deployctl-ray-"));
    engine = openRayEngine(cluster(), folder, "cccccccc");
    await engine.adopt([]);
    const limits = { startupTimeoutMs: limitMs };
    plan = makePlan(folder, undefined, { hardware: { machineType: "any", gpuCount: 0 } });
    plan = { ...plan, config: { ...plan.config, limits: { ...plan.config.limits, ...limits } } };
    for (let first = 0; first < names.length; first += startsAtOnce) {
      await start(names.slice(first, first + startsAtOnce));
      say(`${Math.min(first + startsAtOnce, names.length)} are ready`);
    }
  }, limitMs);
  afterAll(async () => {
    await endRayEngine(engine);
    rmSync(folder, { recursive: true });
  }, limitMs);

  async function start(replicas: readonly string[]): Promise<void> {
    for (const replica of replicas) await engine.startReplica({ replica, plan, secrets: {} });
    for (const replica of replicas) await untilPhase(engine, replica, "ready", limitMs);
  }

  async function endpointOf(replica: string): Promise<string> {
    const { endpoint = "" } = await untilPhase(engine, replica, "ready", limitMs);
    return endpoint;
  }

  it("answers every request of the others", { timeout: limitMs }, async () => {
    const load = callAll(await Promise.all(called.map(endpointOf)));
    for (const [index, old] of stopped.entries()) {
      await start([`new${index}`]);
      await engine.stopReplica(old, { signal: "terminate", graceMs: 10_000 });
      await untilPhase(engine, old, "exited", limitMs);
      await engine.forget(old);
      say(`one started and one stopped: ${describeStatuses(load.statuses)}`);
    }
    for (const replica of killed) {
      const stats = await fetch(`${await endpointOf(replica)}/stats`);
      process.kill(((await stats.json()) as { processId: number }).processId, "SIGKILL");
    }
    for (const replica of killed) await untilPhase(engine, replica, "exited", limitMs);
    say(`${killed.length} killed and seen as dead: ${describeStatuses(load.statuses)}`);
    for (const replica of killed) await engine.forget(replica);
    const statuses = await load.end();
    say(`at the end: ${describeStatuses(statuses)}`);
    expect(statuses.length).toBeGreaterThan(callers);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
}

/** Calls the endpoints in turn, without a pause; a request without an answer has the status 0. */
function callAll(endpoints: readonly string[]) {
  const agent = new Agent({ keepAlive: true });
  const statuses: number[] = [];
  let isOver = false;
  const running = Array.from({ length: callers }, async (_, caller) => {
    for (let turn = caller; !isOver; turn += 1) {
      statuses.push(await statusOf(`${endpoints[turn % endpoints.length]}/v1/models`, agent));
    }
  });
  const end = async () => {
    isOver = true;
    await Promise.all(running);
    agent.destroy();
    return statuses;
  };
  return { statuses, end };
}

async function statusOf(url: string, agent: Agent): Promise<number> {
  return await new Promise((resolve) => {
    const request = get(url, { agent }, (reply) => {
      reply.once("end", () => resolve(reply.statusCode ?? 0)).once("error", () => resolve(0));
      reply.resume();
    });
    request.once("error", () => resolve(0));
  });
}

function describeStatuses(statuses: readonly number[]): string {
  const others = statuses.filter((status) => status !== 200);
  return `${statuses.length} requests, not answered with 200: ${others.length} ${[...new Set(others)]}`;
}

/** Shows the course of a trial of many minutes. */
function say(text: string): void {
  if (applications > 6) console.log(`${new Date().toISOString()} ${text}`);
}
