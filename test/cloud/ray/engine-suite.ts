// The Ray engine does what every engine must, and lives through the loss of nodes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageVersion } from "../../../source/base/package-facts.ts";
import type { Engine } from "../../../source/cloud/engines/engine.ts";
import { reportNodes } from "../../../source/cloud/engines/ray/node-report.ts";
import { RayClient } from "../../../source/cloud/engines/ray/ray-client.ts";
import { makePlan, untilPhase } from "../../support/process-engine.ts";
import { describeEngine } from "../support/engine-suite.ts";
import type { RayCluster } from "../support/ray-cluster.ts";
import { endRayEngine, openRayEngine } from "../support/ray-engine.ts";

const limitMs = 120_000;

/** @param cluster the running cluster, once tests run */
export function engineSuite(cluster: () => RayCluster): void {
  describeEngine("Ray", async () => {
    const ray = cluster();
    const folder = mkdtempSync(path.join(tmpdir(), "deployctl-ray-"));
    let engine = openRayEngine(ray, folder, "aaaaaaaa");
    return {
      folder,
      get engine() {
        return engine;
      },
      reopen: async () => {
        await engine.close();
        engine = openRayEngine(ray, folder, "aaaaaaaa");
      },
      end: async () => {
        await endRayEngine(engine);
        rmSync(folder, { recursive: true });
      },
    };
  });

  describe("a cluster of several nodes", { timeout: 3 * limitMs }, () => {
    let folder: string;
    let engine: Engine;
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), "deployctl-ray-"));
      engine = openRayEngine(cluster(), folder, "bbbbbbbb");
    });
    afterAll(async () => {
      await endRayEngine(engine);
      rmSync(folder, { recursive: true });
    });
    const hardware = { machineType: "GPU-H100", gpuCount: 1 };
    const any = { machineType: "any", gpuCount: 0 };
    const start = async (replica: string, needs = any): Promise<void> => {
      const plan = makePlan(folder, undefined, { hardware: needs });
      await engine.startReplica({ replica, plan, secrets: {} });
    };

    it("reports what each node has", async () => {
      const { address, token } = cluster();
      const reports = await reportNodes(new RayClient({ address, readToken: () => token }));
      expect(reports).toHaveLength(await cluster().nodeCount());
      expect(reports.filter(({ is_head }) => is_head)).toHaveLength(1);
      for (const report of reports) {
        expect(report).toMatchObject({
          ray: "2.58.0",
          modelctl: packageVersion(),
          node: process.versions.node,
          serve_error: null,
          error: null,
        });
      }
    });

    it("places a replica where its GPU is, and leaves applications of others alone", async () => {
      const ray = cluster();
      const other = openRayEngine(ray, folder, "cccccccc");
      const plan = makePlan(folder, undefined, { hardware: any });
      await other.startReplica({ replica: "other", plan, secrets: {} });
      const { endpoint } = await untilPhase(other, "other", "ready", limitMs);
      await start("gpu", hardware);
      const { node } = await untilPhase(engine, "gpu", "ready", limitMs);
      expect(node).toMatch(/^[\d.]+\/[0-9a-f]{8}$/);
      await engine.stopReplica("gpu", { signal: "terminate", graceMs: 1_000 });
      await engine.forget("gpu");
      expect((await fetch(`${endpoint}/v1/models`)).status).toBe(200);
      await endRayEngine(other);
    });
  });
}
