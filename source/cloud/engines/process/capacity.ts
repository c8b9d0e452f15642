// Capacity check: whether one more replica of a revision fits on this machine.
import type { Capacity } from "../engine.ts";
import type { Gpu } from "./gpu-pool.ts";
import { describeGpus, describeNeed, type GpuNeed, isOfType } from "./machine-types.ts";

export interface Resources {
  /** All GPUs of the machine. */
  gpus: readonly Gpu[];
  /** GPUs that no replica holds. */
  freeGpus: readonly Gpu[];
  freePorts: number;
  /** Undefined where the system does not report it. */
  availableMemoryBytes: number | undefined;
  /** Port of a running replica of this app that ignored its assigned port. */
  unmappedPort: number | undefined;
}

/** Minimum of free memory: below it, the kernel would start killing processes. */
export const leastMemoryBytes = 128 * 1024 ** 2;

export function capacityFor(need: GpuNeed, resources: Resources): Capacity {
  const { gpus, freePorts, availableMemoryBytes, unmappedPort } = resources;
  const matching = gpus.filter((gpu) => isOfType(gpu, need));
  if (matching.length < need.count) {
    const has = describeGpus(matching.length > 0 ? matching : gpus);
    return never(
      `the app needs ${describeNeed(need)}, this machine has ${has}; use --machine-type any`,
    );
  }
  const free = resources.freeGpus.filter((gpu) => isOfType(gpu, need)).length;
  if (free < need.count) {
    const all = describeGpus(matching);
    return notNow(`the app needs ${describeNeed(need)}; of ${all}, ${free} are free`);
  }
  if (unmappedPort !== undefined) {
    return notNow(
      `its replicas use the fixed port ${unmappedPort}, so only one can run on this machine`,
    );
  }
  if (freePorts === 0) return notNow("all ports of the port range are in use");
  if (availableMemoryBytes !== undefined && availableMemoryBytes < leastMemoryBytes) {
    const mebibytes = Math.floor(availableMemoryBytes / 1024 ** 2);
    return notNow(`only ${mebibytes} MiB of memory are free`);
  }
  const byGpu = need.count === 0 ? freePorts : Math.floor(free / need.count);
  return {
    fits: true,
    reason: undefined,
    replicas: Math.min(byGpu, freePorts),
    canEverFit: true,
  };
}

function notNow(reason: string): Capacity {
  return { fits: false, reason, replicas: 0, canEverFit: true };
}

function never(reason: string): Capacity {
  return { fits: false, reason, replicas: 0, canEverFit: false };
}
