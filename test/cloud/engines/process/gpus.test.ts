// GPU reservations, with recorded nvidia-smi output printed by a program of that name on the PATH.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gpuNeedOf, readMachineTypes } from "../../../../source/cloud/engines/machine-types.ts";
import { capacityFor, fittingNeed } from "../../../../source/cloud/engines/process/capacity.ts";
import {
  endEngine,
  makePlan,
  makeStateFolder,
  type OpenEngine,
  openEngine,
  untilPhase,
} from "../../../support/process-engine.ts";

const twoH100 = `\
0, GPU-aaaa1111-0000-0000-0000-000000000000, NVIDIA H100 80GB HBM3, 81559 MiB
1, GPU-bbbb2222-0000-0000-0000-000000000000, NVIDIA H100 80GB HBM3, 81559 MiB`;
const oneRtx = "0, GPU-cccc3333-0000-0000-0000-000000000000, NVIDIA GeForce RTX 4090, 24564 MiB";

const h100 = { machineType: "GPU-H100", gpuCount: 1 };
let stateFolder: string;
let programs: string;
let open: OpenEngine | undefined;
const originalPath = process.env.PATH;

beforeEach(() => {
  stateFolder = makeStateFolder();
  programs = path.join(stateFolder, "programs");
  mkdirSync(programs);
});
afterEach(async () => {
  process.env.PATH = originalPath;
  if (open !== undefined) await endEngine(stateFolder, open);
  open = undefined;
  rmSync(stateFolder, { recursive: true, force: true });
});

function withNvidiaSmi(body: string): OpenEngine {
  const file = path.join(programs, "nvidia-smi");
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  process.env.PATH = `${programs}:${originalPath}`;
  open = openEngine(stateFolder);
  return open;
}

function listing(text: string): string {
  return `[ "$1 $2" = "--query-gpu=index,uuid,name,memory.total --format=csv,noheader" ] || exit 9
cat <<'END'
${text}
END`;
}

describe("a machine with GPUs", () => {
  it("assigns each replica its own by UUID, reports when none is left, and releases it", async () => {
    const { engine, reservations } = withNvidiaSmi(listing(twoH100));
    await engine.adopt([]);
    const plan = makePlan(stateFolder, undefined, { hardware: h100 });
    expect(await engine.capacity(plan)).toMatchObject({ fits: true, replicas: 2 });
    await engine.startReplica({ replica: "one", plan, secrets: {} });
    await engine.startReplica({ replica: "two", plan, secrets: {} });
    const [one, two] = [
      await untilPhase(engine, "one", "ready"),
      await untilPhase(engine, "two", "ready"),
    ];
    expect([...one.gpus, ...two.gpus].sort()).toEqual([
      "GPU-aaaa1111-0000-0000-0000-000000000000",
      "GPU-bbbb2222-0000-0000-0000-000000000000",
    ]);
    const seen = await fetch(`${one.endpoint}/environment?name=CUDA_VISIBLE_DEVICES`);
    expect(await seen.json()).toEqual({ CUDA_VISIBLE_DEVICES: one.gpus[0] });

    const full = await engine.capacity(plan);
    expect(full).toMatchObject({ fits: false, canEverFit: true, replicas: 0 });
    await expect(
      engine.startReplica({ replica: "three", plan, secrets: {} }),
    ).rejects.toMatchObject({
      code: "CLOUD_NO_CAPACITY",
      exitCode: 9,
    });
    expect(reservations.list().filter(({ replica }) => replica === "three")).toEqual([]);

    await engine.stopReplica("one", { signal: "kill", graceMs: 0 });
    await engine.forget("one");
    expect(await engine.capacity(plan)).toMatchObject({ fits: true, replicas: 1 });
  });

  it("reports which GPU was asked for and which exists", async () => {
    const { engine } = withNvidiaSmi(listing(oneRtx));
    const plan = makePlan(stateFolder, undefined, { hardware: h100 });
    expect(await engine.capacity(plan)).toEqual({
      fits: false,
      reason: "the app needs H100, this machine has RTX 4090; use --machine-type any",
      replicas: 0,
      canEverFit: false,
    });
    const four = { machineType: "GPU-RTX4090", gpuCount: 4 };
    expect(
      (await engine.capacity(makePlan(stateFolder, undefined, { hardware: four }))).reason,
    ).toBe("the app needs 4 x RTX4090, this machine has RTX 4090; use --machine-type any");
  });

  it("treats a failing driver as no GPU, and reports it once", async () => {
    const { engine, told } = withNvidiaSmi("echo 'NVIDIA-SMI has failed' >&2; exit 9");
    const plan = makePlan(stateFolder, undefined, { hardware: h100 });
    expect((await engine.capacity(plan)).reason).toContain("this machine has no GPU");
    await engine.capacity(plan);
    expect(told.filter((text) => text.includes("nvidia-smi failed"))).toHaveLength(1);
  });
});

describe("a machine without a GPU", () => {
  it("refuses a script that needs one, unless the machine type is any", async () => {
    process.env.PATH = originalPath;
    open = openEngine(stateFolder, { environment: { ...process.env, CUDA_VISIBLE_DEVICES: "" } });
    const { engine } = open;
    const asked = makePlan(stateFolder, undefined, { hardware: h100 });
    expect(await engine.capacity(asked)).toEqual({
      fits: false,
      reason: "the app needs H100, this machine has no GPU; use --machine-type any",
      replicas: 0,
      canEverFit: false,
    });
    const any = { machineType: "any", gpuCount: 1 };
    const plan = makePlan(stateFolder, undefined, { hardware: any });
    expect(await engine.capacity(plan)).toMatchObject({ fits: true, reason: undefined });
  });
});

describe("a machine type", () => {
  const none = new Map();
  it.each([
    ["GPU-H100", 1, { name: "H100", count: 1, hidesGpus: false }],
    ["GPU-A100", 0, { name: "A100", count: 1, hidesGpus: false }],
    ["GPU", 2, { name: "", count: 2, hidesGpus: false }],
    ["XS", 0, { name: "", count: 0, hidesGpus: true }],
    ["any", 8, { name: "", count: 0, hidesGpus: false }],
    [undefined, 1, { name: "", count: 1, hidesGpus: false }],
    [undefined, 0, { name: "", count: 0, hidesGpus: false }],
  ])("%s with %d GPUs needs %j", (machineType, gpuCount, need) => {
    expect(gpuNeedOf({ machineType, gpuCount }, none)).toEqual(need);
  });

  it("is the first of a list that fits", () => {
    const gpu = (name: string) => ({ index: 0, uuid: name, name, memoryMiB: 1 });
    const [h100, a100] = [gpu("NVIDIA H100 80GB HBM3"), gpu("NVIDIA A100-SXM4-80GB")];
    const needs = (...types: string[]) =>
      types.map((machineType) => gpuNeedOf({ machineType, gpuCount: 1 }, none));
    const resources = {
      ...{ gpus: [h100, a100], freeGpus: [a100], freePorts: 5 },
      ...{ availableMemoryBytes: undefined, unmappedPort: undefined },
    };
    expect(fittingNeed(needs("GPU-H100", "GPU-A100-80GB"), resources)?.name).toBe("A100-80GB");
    const [first, second] = needs("GPU-H100", "GPU-B200");
    if (first === undefined || second === undefined) throw new Error("two needs expected");
    expect(capacityFor([first, second], resources)).toMatchObject({
      canEverFit: true,
      fits: false,
    });
    expect(
      capacityFor([second, gpuNeedOf({ machineType: "GPU-T4", gpuCount: 2 }, none)], resources)
        .reason,
    ).toContain("needs B200 or 2 x T4, this machine has");
  });

  it("can be defined in machines.json", () => {
    const file = path.join(stateFolder, "machines.json");
    writeFileSync(file, '{"Big": {"gpu": "H100", "gpuCount": 4}, "XS": {"gpu": "T4"}}');
    const types = readMachineTypes(stateFolder, () => {});
    expect(gpuNeedOf({ machineType: "big", gpuCount: 0 }, types)).toMatchObject({
      name: "H100",
      count: 4,
    });
    expect(gpuNeedOf({ machineType: "XS", gpuCount: 0 }, types)).toMatchObject({
      name: "T4",
      count: 1,
    });
  });

  it("falls back to the defaults when machines.json is invalid, with a warning", () => {
    writeFileSync(path.join(stateFolder, "machines.json"), "{");
    const told: string[] = [];
    const types = readMachineTypes(stateFolder, (text) => told.push(text));
    expect(gpuNeedOf({ machineType: "GPU-H100", gpuCount: 1 }, types).name).toBe("H100");
    expect(told.join()).toContain("machines.json is ignored");
  });
});
