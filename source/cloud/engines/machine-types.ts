// Machine types of scripts, mapped to GPUs by their names.
import { readFileSync } from "node:fs";
import path from "node:path";
import { isRecord } from "../../base/json.ts";
import { describeError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import type { HardwareNeeds } from "../app-config.ts";

/** Meaning of one machine type. */
export interface MachineType {
  /** Part of the GPU's name; "" matches any GPU; undefined: none needed. */
  gpu: string | undefined;
  gpuCount: number;
  /** CPUs, and amounts of a cluster's own resources; a single machine is not divided. */
  cpus?: number | undefined;
  resources?: Readonly<Record<string, number>> | undefined;
}

/** GPUs that a replica needs. */
export interface GpuNeed {
  /** Part of the name; "" matches any. */
  name: string;
  /** Number of GPUs; 0: none reserved. */
  count: number;
  /** True when the replica must not see any GPU: the script asked for a machine without. */
  hidesGpus: boolean;
}

/** GPUs, CPUs and other resources that a replica needs of a cluster's node. */
export interface NodeNeed extends GpuNeed {
  cpus: number;
  resources: Readonly<Record<string, number>>;
}

/** CPUs of the types without a GPU; this machine is not divided. */
const withoutGpu = new Map([
  ["XS", 0.5],
  ["S", 1],
  ["M", 2],
  ["L", 4],
]);
const usualCpus = 1;
/** Accepts any machine and reserves nothing. */
const anyMachine = "any";

/**
 * Reads the user's own types from `machines.json` in the state folder: `{"BIG": {"gpu": "H100",
 * "gpuCount": 4, "cpus": 8, "resources": {"fast_disk": 1}}}`.
 *
 * @param log called when the file cannot be read
 */
export function readMachineTypes(
  stateFolder: string,
  log: (text: string) => void,
): ReadonlyMap<string, MachineType> {
  const file = path.join(stateFolder, "machines.json");
  try {
    const document: Record<string, Record<string, unknown>> = JSON.parse(
      readFileSync(file, "utf8"),
    );
    const entries = Object.entries(document);
    return new Map(
      entries.map(([name, { gpu, gpuCount, cpus, resources }]) => [
        name.toUpperCase(),
        {
          gpu: typeof gpu === "string" ? gpu : undefined,
          gpuCount: typeof gpuCount === "number" ? gpuCount : typeof gpu === "string" ? 1 : 0,
          cpus: typeof cpus === "number" ? cpus : undefined,
          resources: readAmounts(resources),
        },
      ]),
    );
  } catch (error) {
    // The file is optional.
    if (systemCode(error) !== "ENOENT") log(`${file} is ignored: ${describeError(error)}`);
    return new Map();
  }
}

/**
 * Resolves a type: `GPU-H100` needs a GPU with H100 in its name, `GPU` any GPU, `XS` to `L` none;
 * "any" and undefined accept what is there.
 */
export function gpuNeedOf(
  { machineType, gpuCount }: Pick<HardwareNeeds, "machineType" | "gpuCount">,
  types: ReadonlyMap<string, MachineType>,
): GpuNeed {
  if (machineType === undefined) return { name: "", count: gpuCount, hidesGpus: false };
  if (machineType.toLowerCase() === anyMachine) return { name: "", count: 0, hidesGpus: false };
  const type = types.get(machineType.toUpperCase()) ?? typeOfName(machineType);
  if (type.gpu === undefined) return { name: "", count: gpuCount, hidesGpus: gpuCount === 0 };
  return { name: type.gpu, count: Math.max(gpuCount, type.gpuCount), hidesGpus: false };
}

/** Resolves a type for the nodes of a cluster; "any" needs nothing of them. */
export function nodeNeedOf(
  hardware: Pick<HardwareNeeds, "machineType" | "gpuCount">,
  types: ReadonlyMap<string, MachineType>,
): NodeNeed {
  const need = gpuNeedOf(hardware, types);
  const name = hardware.machineType?.toUpperCase() ?? "";
  if (name.toLowerCase() === anyMachine) return { ...need, cpus: 0, resources: {} };
  const type = types.get(name);
  const cpus = type?.cpus ?? withoutGpu.get(name) ?? usualCpus;
  return { ...need, cpus, resources: type?.resources ?? {} };
}

/** Returns what an app needs, in order of preference. */
export function inOrder<Need>(
  hardware: HardwareNeeds,
  needOf: (one: Pick<HardwareNeeds, "machineType" | "gpuCount">) => Need,
): [Need, ...Need[]] {
  return [needOf(hardware), ...(hardware.alternatives ?? []).map(needOf)];
}

function readAmounts(value: unknown): Record<string, number> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.flatMap(([name, n]) => (typeof n === "number" ? [[name, n]] : [])),
  );
}

function typeOfName(machineType: string): MachineType {
  if (withoutGpu.has(machineType.toUpperCase())) return { gpu: undefined, gpuCount: 0 };
  return { gpu: machineType.replace(/^GPU-?/i, ""), gpuCount: 1 };
}

/** Matches "RTX4090" with "NVIDIA GeForce RTX 4090", and "A100-80GB" with "NVIDIA A100-SXM4-80GB". */
export function isOfType({ name }: { name: string }, need: GpuNeed): boolean {
  const whole = plain(name);
  return (
    whole.includes(plain(need.name)) ||
    need.name.split("-").every((part) => whole.includes(plain(part)))
  );
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Describes a need, such as "H100", "4 x H100", "a GPU". */
export function describeNeed({ name, count }: GpuNeed): string {
  if (name === "") return count === 1 ? "a GPU" : `${count} GPUs`;
  return count === 1 ? name : `${count} x ${name}`;
}

/** Describes GPUs, such as "RTX 4090 and 2 x H100", or "no GPU". */
export function describeGpus(gpus: readonly { name: string }[]): string {
  if (gpus.length === 0) return "no GPU";
  const counts = new Map<string, number>();
  for (const { name } of gpus) {
    const short = name.replace(/^NVIDIA (?:GeForce )?/, "");
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  const parts = [...counts].map(([name, count]) => (count === 1 ? name : `${count} x ${name}`));
  return parts.join(" and ");
}
