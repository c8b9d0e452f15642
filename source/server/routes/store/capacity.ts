// GET /api/capacity: how much room there is for models, in memory and on the store's disk.
import type { FastifyInstance } from "fastify";
import { freeSpace } from "../../../base/free-space.ts";
import { freeMemoryBytes } from "../../../engine/scheduler/memory-plan.ts";
import type { GpuSample } from "../../../metrics/gpu-sample.ts";
import type { ServerDependencies } from "../../dependencies.ts";

export function registerCapacity(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { scheduler, monitor, library } = dependencies;
  app.get("/api/capacity", async () => {
    const [sample, diskFreeBytes] = await Promise.all([
      monitor.glance(),
      freeSpace(library.store.path),
    ]);
    const { device, slots, kvCacheType } = scheduler.engine;
    return {
      // Null where the system does not tell.
      disk: { free_bytes: diskFreeBytes ?? null },
      memory: { total_bytes: sample.memory.totalBytes, free_bytes: freeMemoryBytes() },
      gpus: device === "cpu" ? [] : sample.gpus.flatMap(gpuRecord),
      // The card computes in the machine's own memory.
      has_unified_memory: device !== "cpu" && isAppleSilicon,
      slots,
      kv_cache_type: kvCacheType,
    };
  });
}

const isAppleSilicon = process.platform === "darwin" && process.arch === "arm64";

/** A card that does not tell how much it has is no help in planning. */
function gpuRecord({ name, memoryTotalBytes, memoryUsedBytes }: GpuSample) {
  if (memoryTotalBytes === undefined || memoryUsedBytes === undefined) return [];
  return [{ name, total_bytes: memoryTotalBytes, free_bytes: memoryTotalBytes - memoryUsedBytes }];
}
