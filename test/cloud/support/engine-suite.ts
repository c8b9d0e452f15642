// Behaviour that the control plane expects of every engine. Each engine's own tests call it with a
// factory; its scripts run the fake server.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import type { AppConfig } from "../../../source/cloud/app-config.ts";
import type {
  Engine,
  ReplicaExit,
  ReplicaObservation,
  RevisionPlan,
} from "../../../source/cloud/engines/engine.ts";
import type { HealthSettings } from "../../../source/cloud/engines/health-watch.ts";
import { linesOf, makePlan, serveScript, untilPhase } from "../../support/process-engine.ts";
import { until } from "../../support/until.ts";

export interface TestedEngine {
  readonly engine: Engine;
  /** Folder for bundles. */
  readonly folder: string;
  /** Closes the engine as a control plane does that ends, and opens the next one. */
  reopen(): Promise<void>;
  /** Ends all replicas and the engine. */
  end(): Promise<void>;
}

/** Settings of the tested engine, so that a check soon fails. */
export const quickHealth: HealthSettings = {
  intervalMs: 50,
  timeoutMs: 5_000,
  failureLimit: 3,
  busySilenceLimit: 1_000,
};

/** Enough for an engine that starts replicas on a busy cluster. */
const limitMs = 90_000;
const kill = { signal: "kill", graceMs: 0 } as const;
const terminate = { signal: "terminate", graceMs: 2_000 } as const;

/** @param open opens the engine, with `quickHealth` and no replicas */
export function describeEngine(name: string, open: () => Promise<TestedEngine>): void {
  describe(`the ${name} engine`, { timeout: 2 * limitMs }, () => {
    let tested: TestedEngine;
    beforeAll(async () => {
      tested = await open();
      await tested.engine.adopt([]);
    });
    afterAll(async () => await tested?.end());

    const planOf = (
      script: string = serveScript,
      change: Partial<AppConfig> = {},
    ): RevisionPlan => {
      // Costs no processor of a cluster.
      const hardware = { machineType: "any", gpuCount: 0 };
      return makePlan(tested.folder, script, { hardware, ...change });
    };
    /** Prepares and starts a replica as the control plane does. */
    const start = async (replica: string, plan: RevisionPlan = planOf()): Promise<void> => {
      await tested.engine.prepare(plan, () => {}, AbortSignal.timeout(limitMs));
      await tested.engine.startReplica({ replica, plan, secrets: { HF_TOKEN: "hf_secret" } });
    };
    const ready = async (replica: string): Promise<ReplicaObservation> =>
      await untilPhase(tested.engine, replica, "ready", limitMs);
    const exitOf = async (replica: string): Promise<ReplicaExit> => {
      const { exit } = await untilPhase(tested.engine, replica, "exited", limitMs);
      if (exit === undefined) throw new Error("it has exited without an exit");
      return exit;
    };
    const logOf = async (replica: string): Promise<string[]> => {
      const query = { organisation: "local", app: "demo", replica, follow: false };
      return (await linesOf(tested.engine.logs(query))).map(({ text }) => text);
    };
    const seen = async (): Promise<string[]> =>
      (await tested.engine.observe()).map(({ replica }) => replica);
    const end = async (...replicas: string[]): Promise<void> => {
      await Promise.all(
        replicas.map(async (replica) => {
          await tested.engine.stopReplica(replica, kill);
          await tested.engine.forget(replica);
        }),
      );
    };

    it("prepares a revision again and again, and removes what it made", async () => {
      const plan = planOf();
      for (let time = 0; time < 2; time += 1) {
        await tested.engine.prepare(plan, () => {}, AbortSignal.timeout(limitMs));
      }
      for (let time = 0; time < 2; time += 1) await tested.engine.destroy(plan);
    });

    it("starts each replica once, with its own endpoint, variables and secrets", async () => {
      const plan = planOf(serveScript, { environment: { MODEL_NAME: "tiny" } });
      await Promise.all([start("one", plan), start("one", plan), start("two", plan)]);
      const [one, two] = [await ready("one"), await ready("two")];
      await start("one", plan);
      expect((await seen()).sort()).toEqual(["one", "two"]);
      expect(one.endpoint).not.toBe(two.endpoint);
      const names = ["MODEL_NAME", "HF_TOKEN", "DEPLOYCTL_REPLICA"];
      const query = names.map((variable) => `name=${variable}`).join("&");
      for (const { replica, endpoint, warnings, readyAt = 0, startedAt } of [one, two]) {
        const reply = await fetch(`${endpoint}/environment?${query}`);
        expect(await reply.json()).toEqual({
          MODEL_NAME: "tiny",
          HF_TOKEN: "hf_secret",
          DEPLOYCTL_REPLICA: replica,
        });
        expect(warnings).toEqual([]);
        expect(readyAt).toBeGreaterThanOrEqual(startedAt);
      }
      await end("one", "two");
      expect(await seen()).toEqual([]);
    });

    it("shows progress until the health check passes", async () => {
      const phases: string[] = [];
      const progress = new Set<string | undefined>();
      const stop = tested.engine.onChange(async () => {
        for (const one of await tested.engine.observe()) {
          progress.add(one.progress);
          if (phases.at(-1) !== one.phase) phases.push(one.phase);
        }
      });
      const environment = { FAKE_LOAD_SECONDS: "3", FAKE_MODEL_LOG: "1" };
      await start("loading", planOf(serveScript, { environment }));
      const { endpoint, progress: last, startPhasesMs } = await ready("loading");
      stop();
      expect((await fetch(`${endpoint}/health`)).status).toBe(200);
      expect(phases).toEqual(["preparing", "setup", "ready"]);
      expect([...progress]).toContain("listening");
      expect(last).toBeUndefined();
      expect(Object.keys(startPhasesMs ?? {})).toContain("listen");
      await end("loading");
    });

    it("logs a replica's output, follows it, and keeps lines of the control plane", async () => {
      const plan = planOf();
      await start("talking", plan);
      const { endpoint } = await ready("talking");
      const controller = new AbortController();
      const lines: string[] = [];
      const place = { organisation: "local", app: "demo", replica: "talking" };
      const following = (async () => {
        const { signal } = controller;
        for await (const { text } of tested.engine.logs({ ...place, follow: true, signal })) {
          lines.push(text);
        }
      })();
      await fetch(`${endpoint}/v1/models`);
      const isServing = (text: string) => text.includes("fake server of fake-model listens on");
      await until(
        () => lines,
        (found) => found.some(isServing),
        limitMs,
      );
      controller.abort();
      await following;
      expect((await logOf("talking")).filter(isServing)).toHaveLength(1);
      tested.engine.record(plan, "scaled to 2");
      expect(await logOf("control")).toContain("scaled to 2");
      await end("talking");
    });

    it("explains why a replica did not start", async () => {
      const crash = {
        environment: { FAKE_CRASH_CODE: "4", FAKE_SAY_ERROR: "CUDA error: out of memory" },
      };
      const plans = {
        "no-python": planOf("def serve(:\n"),
        "no-module": planOf("import vllm_not_here\ndef serve(): pass\n"),
        exits: planOf("import sys\ndef serve(): sys.exit(7)\n"),
        crashes: planOf(serveScript, crash),
      };
      const names = Object.keys(plans);
      await Promise.all(Object.entries(plans).map(([replica, plan]) => start(replica, plan)));
      const exits = await Promise.all(names.map(exitOf));
      const reasons = exits.map(({ reason, sentence }) => [reason, sentence]);
      expect(reasons).toEqual([
        ["syntax_error", expect.stringContaining("deploy.py")],
        ["import_error", expect.stringContaining("vllm_not_here")],
        ["exited", "It exited with code 7."],
        ["out_of_memory", "Not enough GPU memory."],
      ]);
      expect(exits[3]?.tail.join("\n")).toContain("CUDA error: out of memory");
      await Promise.all(names.map((replica) => tested.engine.forget(replica)));
      expect(await seen()).toEqual([]);
    });

    it("notices that a serving replica has died, and why", async () => {
      await start("dying");
      const { endpoint } = await ready("dying");
      await fetch(`${endpoint}/die`).catch(() => {});
      const { sentence, tail } = await exitOf("dying");
      expect(sentence).toContain("exited with code 9");
      expect(tail.join("\n")).toContain("fake server of fake-model listens on");
      await tested.engine.forget("dying");
    });

    it("reports failing health checks and recovery", async () => {
      const sick = path.join(tmpdir(), `deployctl-sick-${process.pid}`);
      try {
        await start("sick", planOf(serveScript, { environment: { FAKE_SICK_WHILE: sick } }));
        await ready("sick");
        writeFileSync(sick, "");
        await untilPhase(tested.engine, "sick", "unhealthy", limitMs);
        rmSync(sick);
        await ready("sick");
      } finally {
        if (existsSync(sick)) rmSync(sick);
      }
      await end("sick");
    });

    it("lets a stopped replica end, which is then gone", async () => {
      await start("stopped");
      const { endpoint } = await ready("stopped");
      await expect(tested.engine.forget("stopped")).rejects.toThrow(ProductError);
      await tested.engine.stopReplica("stopped", terminate);
      expect(await exitOf("stopped")).toMatchObject({ reason: "stopped" });
      const signal = AbortSignal.timeout(5_000);
      const answer = await fetch(`${endpoint}/v1/models`, { signal }).catch(() => undefined);
      expect(answer?.ok ?? false).toBe(false);
      await tested.engine.stopReplica("stopped", terminate);
      await tested.engine.forget("stopped");
      expect(await seen()).toEqual([]);
    });

    it("kills a replica that ignores the request to stop, even one that is still starting", async () => {
      const environment = { FAKE_IGNORE_TERM: "1" };
      await start("stubborn", planOf(serveScript, { environment }));
      await ready("stubborn");
      await start("starting", planOf(serveScript, { environment: { FAKE_BOOT_SECONDS: "600" } }));
      await Promise.all(
        ["stubborn", "starting"].map((replica) => tested.engine.stopReplica(replica, kill)),
      );
      for (const replica of ["stubborn", "starting"]) {
        expect(await exitOf(replica)).toMatchObject({ reason: "stopped" });
        await tested.engine.forget(replica);
      }
    });

    it("adopts the replicas that the control plane knows, and ends others", async () => {
      await Promise.all([start("known"), start("unknown")]);
      const before = await ready("known");
      const other = await ready("unknown");
      await tested.reopen();
      await tested.engine.adopt(["known"]);
      expect(await seen()).toEqual(["known"]);
      expect((await ready("known")).endpoint).toBe(before.endpoint);
      expect((await fetch(`${before.endpoint}/v1/models`)).status).toBe(200);
      await until(
        async () => {
          const signal = AbortSignal.timeout(5_000);
          return await fetch(`${other.endpoint}/v1/models`, { signal }).catch(() => undefined);
        },
        (reply) => reply?.ok !== true,
        limitMs,
      );
      expect(await logOf("known")).toContainEqual(expect.stringContaining("listens on"));
      await end("known");
    });

    it("knows if a replica fits, and what is missing", async () => {
      expect(await tested.engine.capacity(planOf())).toMatchObject({ fits: true });
      const hardware = { machineType: "GPU-Z9", gpuCount: 1 };
      const capacity = await tested.engine.capacity(planOf(serveScript, { hardware }));
      expect(capacity).toMatchObject({ fits: false, replicas: 0, canEverFit: false });
      expect(capacity.reason).toContain("Z9");
    });
  });
}
