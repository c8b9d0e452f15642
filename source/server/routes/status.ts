// State of the server and the machine: GET /, /health and /metrics, /api/version, /api/metrics and
// /api/capacity.
import { type Static, Type } from "typebox";
import { freeSpace } from "../../base/free-space.ts";
import { freeMemoryBytes } from "../../engine/scheduler/memory-plan.ts";
import type { GpuSample } from "../../metrics/gpu-sample.ts";
import type { MachineSample } from "../../metrics/machine-monitor.ts";
import type { Routes, ServerDependencies } from "../dependencies.ts";
import { followLines, isFollowed } from "../follow-lines.ts";

const MetricsQuery = Type.Object({
  /** `true`: streams one line per second. */
  follow: Type.Optional(Type.String()),
});
type MetricsQuery = Static<typeof MetricsQuery>;

export const statusRoutes: Routes = async (app, { dependencies }) => {
  const { metrics, monitor, stopping } = dependencies;
  // Clients of Ollama look for this text.
  app.get("/", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("Ollama is running"),
  );
  // As llama-server answers it.
  app.get("/health", async (_request, reply) => {
    if (!dependencies.isLoading()) return { status: "ok" };
    return reply.code(503).send({ status: "loading model" });
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.get("/api/version", async () => {
    await dependencies.ready;
    return { version: dependencies.version, server: "modelctl" };
  });
  app.get<{ Querystring: MetricsQuery }>(
    "/api/metrics",
    { schema: { querystring: MetricsQuery } },
    async (request, reply) => {
      if (!isFollowed(request)) {
        return { ...(await monitor.glance()), series: seriesOf(monitor.series) };
      }
      return await followLines(
        reply,
        {
          initial: [],
          // A slow reader gets only the newest figures.
          subscribe: (tell) => monitor.follow((sample) => tell("sample", sample)),
        },
        stopping,
      );
    },
  );
  app.get("/api/capacity", async () => await capacityOf(dependencies));
};

/** Values that can be drawn as a line chart. */
function seriesOf(samples: readonly MachineSample[]) {
  return samples.map(({ time, cpu, memory, gpus, tokensPerSecond }) => ({
    time,
    tokensPerSecond,
    cpuLoad: cpu.load,
    memoryUsedBytes: memory.usedBytes,
    gpuLoads: gpus.map(({ load }) => load ?? null),
  }));
}

/** Room for models in memory and on the store's disk. */
async function capacityOf({ scheduler, monitor, library, speeds }: ServerDependencies) {
  // In the background: whoever asks for the capacity soon shows speeds.
  void speeds.ensureMeasured();
  const [sample, diskFreeBytes] = await Promise.all([
    monitor.glance(),
    freeSpace(library.store.path),
  ]);
  const { device, slots, kvCacheType } = scheduler.engine;
  return {
    // Null when the system does not report it.
    disk: { free_bytes: diskFreeBytes ?? null },
    memory: { total_bytes: sample.memory.totalBytes, free_bytes: freeMemoryBytes() },
    gpus: device === "cpu" ? [] : sample.gpus.flatMap(gpuRecord),
    // The GPU shares the machine's memory.
    has_unified_memory: device !== "cpu" && isAppleSilicon,
    slots,
    kv_cache_type: kvCacheType,
  };
}

const isAppleSilicon = process.platform === "darwin" && process.arch === "arm64";

/** Skips a GPU of unknown memory size, which is useless for planning. */
function gpuRecord({ name, memoryTotalBytes, memoryUsedBytes }: GpuSample) {
  if (memoryTotalBytes === undefined || memoryUsedBytes === undefined) return [];
  return [{ name, total_bytes: memoryTotalBytes, free_bytes: memoryTotalBytes - memoryUsedBytes }];
}
