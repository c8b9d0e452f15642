// Capacity check: whether one more replica of a revision fits on this machine.
import type { Capacity } from "../engine.ts";
import { describeGpus, describeNeed, type GpuNeed, isOfType } from "../machine-types.ts";
import type { Gpu } from "./gpu-pool.ts";

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

/** @param needs in order of preference: the first that fits counts */
export function capacityFor(
  needs: readonly [GpuNeed, ...GpuNeed[]],
  resources: Resources,
): Capacity {
  const all = needs.map((need) => capacityForOne(need, resources));
  const best = all.find(({ fits }) => fits) ?? all.find(({ canEverFit }) => canEverFit);
  if (best !== undefined) return best;
  return needs.length === 1
    ? capacityForOne(needs[0], resources)
    : lacking(needs.map(describeNeed).join(" or "), describeGpus(resources.gpus));
}

/** Returns the first need that fits now. */
export function fittingNeed(needs: readonly GpuNeed[], resources: Resources): GpuNeed | undefined {
  return needs.find((need) => capacityForOne(need, resources).fits);
}

function capacityForOne(need: GpuNeed, resources: Resources): Capacity {
  const { gpus, freePorts, availableMemoryBytes, unmappedPort } = resources;
  const matching = gpus.filter((gpu) => isOfType(gpu, need));
  if (matching.length < need.count) {
    const has = describeGpus(matching.length > 0 ? matching : gpus);
    return lacking(describeNeed(need), has);
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

function lacking(need: string, has: string): Capacity {
  const reason = `the app needs ${need}, this machine has ${has}; use --machine-type any`;
  return { fits: false, reason, replicas: 0, canEverFit: false };
}
