// The Ray engine against a cluster in memory: what Serve says becomes what the control plane sees.
// Tests with a real cluster are in test/cloud/ray.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Engine } from "../../../../source/cloud/engines/engine.ts";
import { RayClient } from "../../../../source/cloud/engines/ray/ray-client.ts";
import { createRayEngine } from "../../../../source/cloud/engines/ray/ray-engine.ts";
import { linesOf, makePlan, untilPhase } from "../../../support/process-engine.ts";
import { FakeRay } from "../../support/fake-ray.ts";

/** Factor by which the engine's clock is faster. */
const speed = 10;
const other = { name: "other", route_prefix: "/other" };
const nameOf = (replica: string) => `dctl-abcd-${replica}`;

let ray: FakeRay;
let folder: string;
let engine: Engine;

function openEngine(): Engine {
  const begun = performance.now();
  const beganAt = Date.now();
  const passed = () => (performance.now() - begun) * speed;
  return createRayEngine({
    stateFolder: folder,
    client: new RayClient({ address: ray.address, readToken: () => "token" }),
    owner: "abcd",
    proxy: { host: "127.0.0.1", port: 8000, listenHost: "127.0.0.1" },
    clock: { now: passed, wallMs: () => Math.floor(beganAt + passed()) },
    log: () => {},
  });
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-ray-"));
  ray = new FakeRay();
  await ray.start();
  ray.applications.set("other", {
    ...{ document: other, status: "RUNNING", message: "", replica: undefined },
  });
  engine = openEngine();
  await engine.adopt([]);
});
afterEach(async () => {
  await engine.close();
  await ray.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(replica: string): Promise<void> {
  await engine.startReplica({ replica, plan: makePlan(folder), secrets: { HF_TOKEN: "secret" } });
}

/** @returns the actor of the ready replica */
async function startReady(replica: string): Promise<string> {
  await start(replica);
  const actor = ray.place(nameOf(replica), "RUNNING");
  await untilPhase(engine, replica, "ready");
  return actor;
}

it("shows a replica's start from Serve's list to its node and its readiness", async () => {
  await start("one");
  expect((await engine.observe())[0]?.phase).toBe("preparing");
  expect(ray.names).toEqual([nameOf("one"), "other"]);
  expect(ray.applications.get(nameOf("one"))?.document).toMatchObject({
    route_prefix: `/${nameOf("one")}`,
    runtime_env: { working_dir: `gcs://${ray.uploads[0]}` },
    args: { script: "deploy.py", target: "serve", environment: { HF_TOKEN: "secret" } },
  });
  const actor = ray.place(nameOf("one"), "STARTING");
  ray.output.set(actor, ":job_id:1\nINFO:     Application startup complete.\n");
  await expect
    .poll(async () => (await engine.observe())[0])
    .toMatchObject({ phase: "setup", progress: "listening" });
  ray.run(nameOf("one"));
  const ready = await untilPhase(engine, "one", "ready");
  expect(ready).toMatchObject({
    endpoint: `http://127.0.0.1:8000/${nameOf("one")}`,
    node: "10.0.0.5",
    progress: undefined,
  });
  const query = { organisation: "local", app: "demo", replica: "one", follow: false };
  const texts = (await linesOf(engine.logs(query))).map(({ text }) => text);
  expect(texts).toContain("started on node 10.0.0.5");
  expect(texts.filter((text) => text.includes("startup complete"))).toHaveLength(1);
  expect(texts).not.toContain(":job_id:1");
});

it("says why it opens no shell and forwards no port", async () => {
  await startReady("one");
  const sentence = /runner one runs on node 10\.0\.0\.5 of the Ray cluster/;
  const terminal = { rows: 24, columns: 80, type: "xterm" };
  await expect(engine.openShell("one", terminal)).rejects.toThrow(sentence);
  await expect(engine.connect("one", 8000)).rejects.toThrow(sentence);
});

it("explains a failed start with the wrapper's report", async () => {
  await start("one");
  ray.place(nameOf("one"), "STARTING");
  const report = { phase: "exited", reason: "import_error", sentence: "No torch.", tail: ["oh"] };
  ray.fail(nameOf("one"), `Traceback:\n@deployctl ${JSON.stringify(report)}\n`);
  const { exit } = await untilPhase(engine, "one", "exited");
  expect(exit).toMatchObject({ reason: "import_error", sentence: "No torch.", tail: ["oh"] });
  await expect.poll(() => ray.names).toEqual(["other"]);
  await engine.forget("one");
  expect(await engine.observe()).toEqual([]);
});

it("takes a replica that Serve has replaced for exited, and removes the new one", async () => {
  const actor = await startReady("one");
  const marker = JSON.stringify({ phase: "exited", code: 9, signal: null });
  ray.output.set(actor, `last words\n@deployctl ${marker}\n`);
  ray.place(nameOf("one"), "RUNNING");
  const { exit } = await untilPhase(engine, "one", "exited");
  expect(exit).toMatchObject({ code: 9, sentence: "It exited with code 9." });
  expect(exit?.tail).toContain("last words");
  await expect.poll(() => ray.names).toEqual(["other"]);
});

it("stops a replica once its application is gone", async () => {
  await startReady("one");
  await engine.stopReplica("one", { signal: "terminate", graceMs: 1_000 });
  expect(ray.names).toEqual(["other"]);
  expect((await engine.observe())[0]?.exit?.reason).toBe("stopped");
});

it("adopts known replicas from the cluster's list, and removes others of this server", async () => {
  await startReady("one");
  await startReady("two");
  await engine.close();
  engine = openEngine();
  await engine.adopt(["one", "three"]);
  expect((await engine.observe()).map(({ replica, phase }) => [replica, phase])).toEqual([
    ["one", "ready"],
  ]);
  expect(ray.names).toEqual([nameOf("one"), "other"]);
});

it("reports replicas as lost when the head comes back without them, and can start new ones", async () => {
  await startReady("one");
  const [name] = ray.uploads;
  await ray.stop();
  const capacity = await engine.capacity(makePlan(folder));
  expect(capacity).toMatchObject({ fits: false, canEverFit: true });
  expect(capacity.reason).toContain("does not answer (connection refused)");
  await ray.start();
  const { exit } = await untilPhase(engine, "one", "exited");
  expect(exit?.reason).toBe("lost");
  await startReady("two");
  expect(ray.uploads).toEqual([name, name]);
});

it("refuses a start without room, which waiting may bring", async () => {
  ray.cpus = 1;
  await start("one");
  await expect(start("two")).rejects.toThrow(
    "Cannot start a replica: the app needs 1 CPU; of 1 CPU, 0 are free on its only node",
  );
  expect((await engine.observe()).map(({ replica }) => replica)).toEqual(["one"]);
});
