// The capacity of this machine for replicas.
import { existsSync, statfsSync } from "node:fs";
import { availableParallelism, freemem, totalmem } from "node:os";
import path from "node:path";
import { availableMemoryBytes } from "../cloud/engines/process/memory-pressure.ts";
import { GpuReader } from "../metrics/gpu-sample.ts";

export interface MachineCapacity {
  processors: number;
  memory: { totalBytes: number; freeBytes: number };
  diskFreeBytes: number;
  gpus: { name: string; memoryBytes: number }[];
}

/** @param stateFolder of the server; it may not be there yet */
export async function machineCapacity(stateFolder: string): Promise<MachineCapacity> {
  const cards = await new GpuReader().read();
  let folder = stateFolder;
  while (!existsSync(folder)) folder = path.dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  return {
    processors: availableParallelism(),
    memory: { totalBytes: totalmem(), freeBytes: availableMemoryBytes() ?? freemem() },
    diskFreeBytes: bavail * bsize,
    gpus: cards.map(({ name, memoryTotalBytes = 0 }) => ({ name, memoryBytes: memoryTotalBytes })),
  };
}
