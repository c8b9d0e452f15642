// GET /metrics for Prometheus, and GET /api/metrics: current load of the machine.
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { MachineSample } from "../../../metrics/machine-monitor.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { followLines } from "../../follow-lines.ts";
import { readSwitch } from "../../read-switch.ts";

const MetricsQuery = Type.Object({
  /** `true`: streams one line per second. */
  follow: Type.Optional(Type.String()),
});
type MetricsQuery = Static<typeof MetricsQuery>;

export function registerMetrics(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { metrics, monitor, stopping } = dependencies;
  app.get("/metrics", async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.get<{ Querystring: MetricsQuery }>(
    "/api/metrics",
    { schema: { querystring: MetricsQuery } },
    async (request, reply) => {
      const isFollowed = readSwitch("follow", request.query.follow) && request.method === "GET";
      if (!isFollowed) return { ...(await monitor.glance()), series: seriesOf(monitor.series) };
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
}

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
