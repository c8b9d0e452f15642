// The Ray engine does what every engine must, and lives through the loss of nodes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../../source/cloud/engines/engine.ts";
import { proxyOf } from "../../../source/cloud/engines/ray/check-cluster.ts";
import { RayClient } from "../../../source/cloud/engines/ray/ray-client.ts";
import { createRayEngine } from "../../../source/cloud/engines/ray/ray-engine.ts";
import { makePlan, untilPhase } from "../../support/process-engine.ts";
import { until } from "../../support/until.ts";
import { describeEngine, quickHealth } from "../support/engine-suite.ts";
import type { RayCluster } from "../support/ray-cluster.ts";

const limitMs = 120_000;

/** @param cluster the running cluster, once tests run */
export function engineSuite(cluster: () => RayCluster): void {
  const openEngine = (ray: RayCluster, stateFolder: string, owner: string): Engine => {
    const { address, token, servePort: proxyPort } = ray;
    return createRayEngine({
      ...{ stateFolder, owner, health: quickHealth },
      client: new RayClient({ address, readToken: () => token }),
      proxy: proxyOf({ address, proxyPort }),
      log: () => {},
    });
  };
  const endReplicas = async (engine: Engine): Promise<void> => {
    const observed = await engine.observe();
    const how = { signal: "kill", graceMs: 0 } as const;
    await Promise.all(observed.map(({ replica }) => engine.stopReplica(replica, how)));
    await engine.close();
  };

  describeEngine("Ray", async () => {
    const ray = cluster();
    const folder = mkdtempSync(path.join(tmpdir(), "deployctl-ray-"));
    let engine = openEngine(ray, folder, "aaaaaaaa");
    return {
      folder,
      get engine() {
        return engine;
      },
      reopen: async () => {
        await engine.close();
        engine = openEngine(ray, folder, "aaaaaaaa");
      },
      end: async () => {
        await endReplicas(engine);
        rmSync(folder, { recursive: true });
      },
    };
  });

  describe("a cluster of several nodes", { timeout: 3 * limitMs }, () => {
    let folder: string;
    let engine: Engine;
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), "deployctl-ray-"));
      engine = openEngine(cluster(), folder, "bbbbbbbb");
    });
    afterAll(async () => {
      await endReplicas(engine);
      rmSync(folder, { recursive: true });
    });
    const hardware = { machineType: "GPU-H100", gpuCount: 1 };
    const any = { machineType: "any", gpuCount: 0 };
    const start = async (replica: string, needs = any): Promise<void> => {
      const plan = makePlan(folder, undefined, { hardware: needs });
      await engine.startReplica({ replica, plan, secrets: {} });
    };

    it("places a replica where its GPU is, and leaves applications of others alone", async () => {
      const ray = cluster();
      const other = openEngine(ray, folder, "cccccccc");
      const plan = makePlan(folder, undefined, { hardware: any });
      await other.startReplica({ replica: "other", plan, secrets: {} });
      const { endpoint } = await untilPhase(other, "other", "ready", limitMs);
      await start("gpu", hardware);
      const { node } = await untilPhase(engine, "gpu", "ready", limitMs);
      expect(node).toMatch(/^[\d.]+\/[0-9a-f]{8}$/);
      await engine.stopReplica("gpu", { signal: "terminate", graceMs: 1_000 });
      await engine.forget("gpu");
      expect((await fetch(`${endpoint}/v1/models`)).status).toBe(200);
      await endReplicas(other);
    });

    it("reports a replica as exited when its process was killed, and does not keep its successor", async () => {
      await start("killed");
      const { endpoint } = await untilPhase(engine, "killed", "ready", limitMs);
      const stats = await fetch(`${endpoint}/stats`);
      const { processId } = (await stats.json()) as { processId: number };
      process.kill(processId, "SIGKILL");
      const { exit } = await untilPhase(engine, "killed", "exited", limitMs);
      expect(exit?.tail.join("\n")).toContain("listens on");
      await engine.forget("killed");
      await until(
        // Serve holds a request while it starts a successor.
        async () => {
          const signal = AbortSignal.timeout(5_000);
          return await fetch(`${endpoint}/v1/models`, { signal }).catch(() => undefined);
        },
        (reply) => reply?.status === 404,
        limitMs,
      );
    });

    it("comes back after the head was lost: old replicas are gone, and new ones start", async () => {
      const ray = cluster();
      await start("before");
      await untilPhase(engine, "before", "ready", limitMs);
      await ray.killNode("worker");
      await ray.killNode("head");
      await until(
        async () => (await engine.capacity(makePlan(folder))).reason,
        (reason) => reason?.includes("does not answer") === true,
        limitMs,
      );
      await ray.startHead();
      await ray.startWorker();
      const { exit } = await untilPhase(engine, "before", "exited", limitMs);
      expect(exit).toMatchObject({ reason: "lost" });
      await engine.forget("before");
      await start("after");
      const { endpoint } = await untilPhase(engine, "after", "ready", limitMs);
      expect((await fetch(`${endpoint}/v1/models`)).status).toBe(200);
    });
  });
}
