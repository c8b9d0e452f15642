// Machine types of scripts, mapped to this machine's GPUs.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describeError } from "../../../base/product-error.ts";
import type { HardwareNeeds } from "../../app-config.ts";
import type { Gpu } from "./gpu-pool.ts";

/** Meaning of one machine type. */
export interface MachineType {
  /** Part of the GPU's name; "" matches any GPU; undefined: none needed. */
  gpu: string | undefined;
  gpuCount: number;
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

/** CPUs and memory of these types are hints: this machine is not divided. */
const withoutGpu = new Set(["XS", "S", "M", "L"]);
/** Accepts any machine and reserves nothing. */
const anyMachine = "any";

/**
 * Reads the user's own types from `machines.json` in the state folder: `{"BIG": {"gpu": "H100",
 * "gpuCount": 4}}`.
 *
 * @param log called when the file cannot be read
 */
export function readMachineTypes(
  stateFolder: string,
  log: (text: string) => void,
): ReadonlyMap<string, MachineType> {
  const file = path.join(stateFolder, "machines.json");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return new Map(); // the file is optional
  }
  try {
    const entries: [string, Record<string, unknown>][] = Object.entries(JSON.parse(text));
    return new Map(
      entries.map(([name, { gpu, gpuCount }]) => [
        name.toUpperCase(),
        {
          gpu: typeof gpu === "string" ? gpu : undefined,
          gpuCount: typeof gpuCount === "number" ? gpuCount : typeof gpu === "string" ? 1 : 0,
        },
      ]),
    );
  } catch (error) {
    log(`${file} is ignored: ${describeError(error)}`);
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

function typeOfName(machineType: string): MachineType {
  if (withoutGpu.has(machineType.toUpperCase())) return { gpu: undefined, gpuCount: 0 };
  return { gpu: machineType.replace(/^GPU-?/i, ""), gpuCount: 1 };
}

/** Matches "RTX4090" with "NVIDIA GeForce RTX 4090", and "A100-80GB" with "NVIDIA A100-SXM4-80GB". */
export function isOfType({ name }: Gpu, need: GpuNeed): boolean {
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
export function describeGpus(gpus: readonly Gpu[]): string {
  if (gpus.length === 0) return "no GPU";
  const counts = new Map<string, number>();
  for (const { name } of gpus) {
    const short = name.replace(/^NVIDIA (?:GeForce )?/, "");
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  const parts = [...counts].map(([name, count]) => (count === 1 ? name : `${count} x ${name}`));
  return parts.join(" and ");
}
