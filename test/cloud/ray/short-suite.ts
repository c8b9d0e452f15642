// Lives and deaths of replicas on Ray, with as few starts as show them: a start costs seconds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Engine } from "../../../source/cloud/engines/engine.ts";
import { linesOf, makePlan, untilPhase } from "../../support/process-engine.ts";
import { until } from "../../support/until.ts";
import { type RayCluster, startLimitMs } from "../support/ray-cluster.ts";
import { endRayEngine, openRayEngine } from "../support/ray-engine.ts";

const limitMs = 120_000;
const hardware = { machineType: "any", gpuCount: 0 };
const replicas = ["stopped", "killed", "lost"];

/** @param cluster the running cluster, once tests run */
export function shortSuite(cluster: () => RayCluster): void {
  let folder: string;
  let engine: Engine;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "deployctl-ray-"));
    engine = openRayEngine(cluster(), folder, "aaaaaaaa");
    await engine.adopt([]);
    const plan = makePlan(folder, undefined, { hardware });
    await engine.prepare(plan, () => {}, AbortSignal.timeout(limitMs));
    for (const replica of replicas) await engine.startReplica({ replica, plan, secrets: {} });
  }, limitMs);
  afterAll(async () => {
    await endRayEngine(engine);
    rmSync(folder, { recursive: true });
  }, limitMs);

  const ready = async (replica: string) => await untilPhase(engine, replica, "ready", limitMs);
  const exited = async (replica: string) => await untilPhase(engine, replica, "exited", limitMs);

  it("starts replicas that answer, on a node, with their output in the log", {
    timeout: 2 * limitMs,
  }, async () => {
    for (const replica of replicas) {
      const { endpoint, node } = await ready(replica);
      expect((await fetch(`${endpoint}/v1/models`)).status).toBe(200);
      expect(node).toMatch(/^[\d.]+\/[0-9a-f]{8}$/);
      const query = { organisation: "local", app: "demo", replica, follow: false };
      const lines = (await linesOf(engine.logs(query))).map(({ text }) => text);
      expect(lines).toContainEqual(expect.stringContaining("fake-model listens on"));
    }
  });

  it("says why a replica did not start", { timeout: limitMs }, async () => {
    const plan = makePlan(folder, "import vllm_not_here\ndef serve(): pass\n", { hardware });
    await engine.startReplica({ replica: "broken", plan, secrets: {} });
    const { exit } = await exited("broken");
    expect(exit).toMatchObject({
      reason: "import_error",
      sentence: expect.stringContaining("vllm_not_here"),
    });
    await engine.forget("broken");
  });

  it("lets the stream of a stopped replica end", { timeout: limitMs }, async () => {
    const { endpoint } = await ready("stopped");
    const stream = await fetch(`${endpoint}/events?n=20&pause_ms=50`);
    await engine.stopReplica("stopped", { signal: "terminate", graceMs: 10_000 });
    expect((await stream.text()).match(/data: /g)).toHaveLength(20);
    expect((await exited("stopped")).exit).toMatchObject({ reason: "stopped" });
    await engine.forget("stopped");
  });

  it("reports a replica whose process was killed, and does not keep its successor", {
    timeout: 2 * limitMs,
  }, async () => {
    const { endpoint } = await ready("killed");
    const { processId } = (await (await fetch(`${endpoint}/stats`)).json()) as {
      processId: number;
    };
    process.kill(processId, "SIGKILL");
    expect((await exited("killed")).exit?.tail.join("\n")).toContain("listens on");
    await engine.forget("killed");
    await until(
      async () => {
        const signal = AbortSignal.timeout(5_000);
        return await fetch(`${endpoint}/v1/models`, { signal }).catch(() => undefined);
      },
      (reply) => reply?.status === 404,
      limitMs,
    );
  });

  it("starts replicas again after the head was lost", {
    timeout: 2 * startLimitMs,
  }, async () => {
    const ray = cluster();
    await ray.kill();
    await ray.startHead();
    expect((await exited("lost")).exit).toMatchObject({ reason: "lost" });
    await engine.forget("lost");
    // The package is gone with the head, too.
    const plan = makePlan(folder, undefined, { hardware });
    await engine.startReplica({ replica: "after", plan, secrets: {} });
    const { endpoint } = await ready("after");
    expect((await fetch(`${endpoint}/v1/models`)).status).toBe(200);
  });
}
