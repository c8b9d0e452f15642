// What a script's machine type asks of this machine: names of another platform, mapped to GPUs.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describeError } from "../../../base/product-error.ts";
import type { HardwareNeeds } from "../../app-config.ts";
import type { Gpu } from "./gpu-pool.ts";

/** What one machine type means. */
export interface MachineType {
  /** A part of the GPU's name; "" is any GPU; undefined: none is needed. */
  gpu: string | undefined;
  gpuCount: number;
}

/** What a replica needs. */
export interface GpuNeed {
  /** A part of the name; "" is any. */
  name: string;
  /** 0: none is reserved. */
  count: number;
  /** It must not see any GPU: the script asked for a machine without. */
  hidesGpus: boolean;
}

/** Processors and memory of these are hints: nothing here is divided. */
const withoutGpu = new Set(["XS", "S", "M", "L"]);
/** Takes whatever there is, and reserves nothing. */
const anyMachine = "any";

/**
 * Names of a person's own, from `machines.json` in the state folder: `{"BIG": {"gpu": "H100", "gpuCount": 4}}`.
 *
 * @param log told when the file cannot be read
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
    return new Map(); // most have none
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
    log(`${file} is not used: ${describeError(error)}`);
    return new Map();
  }
}

/** `GPU-H100` needs a GPU whose name holds H100; `GPU` any; `XS` to `L` none; "any" and undefined what there is. */
export function gpuNeedOf(
  { machineType, gpuCount }: HardwareNeeds,
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

/** "RTX4090" is found in "NVIDIA GeForce RTX 4090". */
export function isOfType({ name }: Gpu, need: GpuNeed): boolean {
  return plain(name).includes(plain(need.name));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** "H100", "4 x H100", "a GPU": as a sentence says it. */
export function describeNeed({ name, count }: GpuNeed): string {
  if (name === "") return count === 1 ? "a GPU" : `${count} GPUs`;
  return count === 1 ? name : `${count} x ${name}`;
}

/** "RTX 4090 and 2 x H100", "no GPU". */
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
