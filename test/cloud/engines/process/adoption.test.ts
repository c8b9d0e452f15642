// Adoption of replicas by the next control plane after a kill.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReplicaObservation, RevisionPlan } from "../../../../source/cloud/engines/engine.ts";
import {
  type AdoptionRecord,
  AdoptionRecords,
} from "../../../../source/cloud/engines/process/adoption-record.ts";
import { createNonce } from "../../../../source/cloud/engines/process/orphans.ts";
import {
  readBootId,
  readNonce,
  readProcesses,
} from "../../../../source/cloud/engines/process/process-table.ts";
import { isLiving, parseStat, readProcess } from "../../../../source/cloud/process-stat.ts";
import {
  endEngine,
  linesOf,
  makePlan,
  makeStateFolder,
  type OpenEngine,
  openEngine,
  untilPhase,
} from "../../../support/process-engine.ts";
import { until } from "../../../support/until.ts";

const workerFile = path.join(import.meta.dirname, "../../../support/engine-worker.ts");
let stateFolder: string;
let plan: RevisionPlan;
let open: OpenEngine | undefined;
let children: ChildProcess[];
/** Processes started by `leader`. */
let leaders: { id: number; startTime: number | undefined }[];

beforeEach(() => {
  stateFolder = makeStateFolder();
  plan = makePlan(stateFolder);
  children = [];
  leaders = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const { id, startTime } of leaders) {
    const found = readProcess(id);
    if (isLiving(found) && found.startTime === startTime) process.kill(id, "SIGKILL");
  }
  open ??= openEngine(stateFolder);
  await open.engine.adopt(new AdoptionRecords(stateFolder).list());
  await endEngine(stateFolder, open);
  open = undefined;
});

/** Lets a control plane start the replicas, and kills it when `isEnough`. */
async function killedWorker(
  replicas: string[],
  isEnough: (observed: ReplicaObservation[]) => boolean,
): Promise<ReplicaObservation[]> {
  const planFile = path.join(stateFolder, "plan.json");
  writeFileSync(planFile, JSON.stringify(plan));
  const worker = spawn(process.execPath, [workerFile, stateFolder, planFile, ...replicas], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(worker);
  let text = "";
  worker.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const observed = await until(
    () => {
      const last = text.slice(0, text.lastIndexOf("\n")).split("\n").at(-1) ?? "";
      const seen: ReplicaObservation[] = last === "" ? [] : JSON.parse(last);
      return seen;
    },
    (seen) => seen.length === replicas.length && isEnough(seen),
  );
  worker.kill("SIGKILL");
  await once(worker, "close");
  return observed;
}

const allReady = (observed: ReplicaObservation[]) =>
  observed.every(({ phase }) => phase === "ready");

async function adoptAll(known: string[], orphanGraceMs = 50): Promise<OpenEngine> {
  open = openEngine(stateFolder, { orphanGraceMs });
  await open.engine.adopt(known);
  return open;
}

async function logOf({ engine }: OpenEngine, replica: string): Promise<string[]> {
  const query = { organisation: "local", app: "demo", replica, follow: false };
  return (await linesOf(engine.logs(query))).map(({ text }) => text);
}

/** A process that leads a session, like replicas, and is not a child of this process. */
async function leader(nonce: string | undefined): Promise<number> {
  const env = { ...process.env, ...(nonce !== undefined && { DEPLOYCTL_NONCE: nonce }) };
  const program =
    "import subprocess,time; p=subprocess.Popen(['sleep','600'],start_new_session=True); print(p.pid,flush=True); time.sleep(600)";
  const parent = spawn("python3", ["-c", program], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(parent);
  const [data] = await once(parent.stdout, "data");
  const id = Number(String(data));
  leaders.push({ id, startTime: readProcess(id)?.startTime });
  return id;
}

function recordOf(replica: string, processId: number, change: Partial<AdoptionRecord>): void {
  new AdoptionRecords(stateFolder).write({
    schema: 1,
    replica,
    organisation: "local",
    app: "demo",
    revision: "r0001-00000000",
    nonce: createNonce(stateFolder),
    port: 20_001,
    exposedPort: 8000,
    healthPath: "/health",
    startupTimeoutMs: 30_000,
    gpus: [],
    startedAt: Date.now(),
    warnings: [],
    process: {
      id: processId,
      group: processId,
      startTime: readProcess(processId)?.startTime ?? 0,
      bootId: readBootId(),
    },
    ...change,
  });
}

describe("a killed control plane", () => {
  it("ends the replicas of a run, even one whose thread computes", async () => {
    const busy = `
import subprocess
import sys

import deployctl


@deployctl.app(port=8000)
def serve():
    subprocess.Popen([sys.executable, "-c", "while True: pass"])
    while True:
        pass
`;
    plan = { ...makePlan(stateFolder, busy), app: "ephemeral" };
    const [observed] = await killedWorker(["one"], ([one]) => one?.processId !== undefined);
    const leader = observed?.processId ?? 0;
    await expect
      .poll(async () => (await readProcesses()).filter(({ session }) => session === leader))
      .toHaveLength(0);
  });

  it("leaves its replicas serving; the next one adopts them and starts nothing twice", async () => {
    const names = ["one", "two", "unrecorded", "late"];
    const before = await killedWorker(names, allReady);
    for (const { endpoint } of before)
      expect((await fetch(`${endpoint}/v1/models`)).status).toBe(200);
    // As if the kill came right after a spawn, before it was recorded.
    const records = new AdoptionRecords(stateFolder);
    const [unrecorded, late] = [records.read("unrecorded"), records.read("late")];
    if (unrecorded === undefined || late === undefined) throw new Error("no record");
    const { process: _, ready: __, ...draft } = unrecorded;
    records.write(draft);
    // A start is found ready even after its timeout.
    const { ready: ___, ...starting } = late;
    records.write({ ...starting, startedAt: Date.now() - 2 * late.startupTimeoutMs });

    const { engine, reservations } = await adoptAll(names);
    for (const { replica, processId, endpoint } of before) {
      expect(await untilPhase(engine, replica, "ready")).toMatchObject({ processId, endpoint });
    }
    const after = await engine.observe();
    const facts = (one: ReplicaObservation) => [
      one.replica,
      one.processId,
      one.endpoint,
      one.phase,
    ];
    expect(after.map(facts).sort()).toEqual(before.map(facts).sort());
    await engine.startReplica({ replica: "one", plan, secrets: {} });
    const nonces = (await readProcesses()).flatMap(({ id, session }) =>
      id === session ? (readNonce(id) ?? []) : [],
    );
    const ours = new AdoptionRecords(stateFolder).read("one")?.nonce;
    expect(nonces.filter((nonce) => nonce === ours)).toHaveLength(1);
    expect(reservations.list()).toHaveLength(4);

    await engine.stopReplica("one", { signal: "terminate", graceMs: 5_000 });
    expect((await untilPhase(engine, "one", "exited")).exit?.reason).toBe("stopped");
    expect((await untilPhase(engine, "two", "ready")).processId).toBe(
      before.find(({ replica }) => replica === "two")?.processId,
    );
  });

  it("loses and repeats no line of their logs", async () => {
    plan = makePlan(
      stateFolder,
      `
import time
def serve():
    i = 0
    while True:
        print("line", i, flush=True)
        i += 1
        time.sleep(0.01)
`,
    );
    await killedWorker(["one"], ([one]) => one?.phase === "setup");
    const adopted = await adoptAll(["one"]);
    const lines = await until(
      async () => (await logOf(adopted, "one")).filter((text) => text.startsWith("line ")),
      ({ length }) => length > 100,
    );
    expect(lines).toEqual(lines.map((_, i) => `line ${i}`));
  });

  it("while a replica starts: the next one finishes the start", async () => {
    plan = makePlan(stateFolder, undefined, { environment: { FAKE_BOOT_SECONDS: "1" } });
    const [before] = await killedWorker(["one"], ([one]) => one?.phase === "setup");
    const { engine } = await adoptAll(["one"]);
    const after = await untilPhase(engine, "one", "ready");
    expect(after.processId).toBe(before?.processId);
  });

  it("learns which replicas ended meanwhile, and why; ends an unknown one and releases its port", async () => {
    const before = await killedWorker(["one", "two", "unknown"], allReady);
    const [one, two, unknown] = ["one", "two", "unknown"].map((name) =>
      before.find(({ replica }) => replica === name),
    );
    await expect(fetch(`${one?.endpoint}/die`)).rejects.toThrow();
    process.kill(two?.processId ?? 0, "SIGKILL");
    const nonce = new AdoptionRecords(stateFolder).read("two")?.nonce;
    await expect
      .poll(() => [one, two].filter((it) => isLiving(readProcess(it?.processId ?? 0))).length)
      .toBe(0);
    const { engine, reservations, told } = await adoptAll(["one", "two"]);
    const exits = (await engine.observe()).map(({ replica, exit }) => [replica, exit?.reason]);
    expect(exits.sort()).toEqual([
      ["one", "returned"],
      ["two", "lost"],
    ]);
    const left = (await readProcesses()).filter(({ id }) => readNonce(id) === nonce);
    expect(left).toEqual([]);
    expect(isLiving(readProcess(unknown?.processId ?? 0))).toBe(false);
    expect(reservations.list().filter(({ replica }) => replica === "unknown")).toEqual([]);
    expect(told.join()).toContain("stopping replica unknown, which is missing from the store");
    const files = readdirSync(path.join(stateFolder, "run"));
    expect(files.filter((name) => name.startsWith("unknown"))).toEqual([]);
  });
});

describe("a process id", () => {
  it("that was reused by another process is left alone", async () => {
    const innocent = await leader(undefined);
    const startTime = (readProcess(innocent)?.startTime ?? 0) - 1;
    const bootId = readBootId();
    recordOf("one", innocent, { process: { id: innocent, group: innocent, startTime, bootId } });
    recordOf("two", innocent, {
      process: { id: innocent, group: innocent, startTime: startTime + 1, bootId: "another" },
    });
    const { engine } = await adoptAll(["one", "two"]);
    const reasons = (await engine.observe()).map(({ phase, exit }) => [phase, exit?.reason]);
    expect(reasons).toEqual([
      ["exited", "lost"],
      ["exited", "lost"],
    ]);
    expect(isLiving(readProcess(innocent))).toBe(true);
  });

  it("of a process with another nonce is not the replica's", async () => {
    const other = await leader("somebody-else");
    recordOf("one", other, {});
    const { engine } = await adoptAll(["one"]);
    expect((await untilPhase(engine, "one", "exited")).exit?.reason).toBe("lost");
    expect(isLiving(readProcess(other))).toBe(true);
  });

  it("of a zombie counts as dead", async () => {
    const nonce = createNonce(stateFolder);
    const zombie = await leader(nonce);
    recordOf("one", zombie, { nonce });
    const { engine } = await adoptAll(["one"]);
    expect((await engine.observe())[0]?.phase).toBe("setup");
    // Its parent never asks for it, so that it stays in the table.
    process.kill(zombie, "SIGKILL");
    const { exit } = await untilPhase(engine, "one", "exited");
    expect(exit?.reason).toBe("lost");
    expect(readProcess(zombie)?.state).toBe("Z");
  });

  it("is parsed from /proc whatever the process is named", () => {
    const numbers = Array.from({ length: 49 }, (_, i) => i + 4).join(" ");
    expect(parseStat(`12 (a) R 1 (b)) S ${numbers}`)).toEqual({
      id: 12,
      state: "S",
      group: 5,
      session: 6,
      startTime: 22,
    });
    expect(parseStat("")).toBeUndefined();
  });
});

describe("orphans", () => {
  it("of this state folder are ended after a while, others are not", async () => {
    const orphan = await leader(createNonce(stateFolder));
    const stranger = await leader(createNonce("/another/state/folder"));
    const { told } = await adoptAll([]);
    await expect.poll(() => isLiving(readProcess(orphan))).toBe(false);
    expect(isLiving(readProcess(stranger))).toBe(true);
    expect(told.join()).toContain(`killing process ${orphan}, which belongs to an unknown replica`);
  });

  it("are only processes without a record", async () => {
    const nonce = createNonce(stateFolder);
    const replica = await leader(nonce);
    recordOf("one", replica, { nonce });
    const orphan = await leader(createNonce(stateFolder));
    await adoptAll(["one"]);
    await expect.poll(() => isLiving(readProcess(orphan))).toBe(false);
    expect(isLiving(readProcess(replica))).toBe(true);
  });
});

it("an unreadable record counts as none, and its process is ended as an orphan", async () => {
  const nonce = createNonce(stateFolder);
  const orphan = await leader(nonce);
  recordOf("one", orphan, { nonce });
  const file = path.join(stateFolder, "run", "one.json");
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 40));
  const { engine } = await adoptAll(["one"]);
  expect(await engine.observe()).toEqual([]);
  await expect.poll(() => isLiving(readProcess(orphan))).toBe(false);
});
