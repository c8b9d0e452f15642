// Sample metrics of a server.

import type { ServerSample } from "../../../source/client/metrics.ts";

const gibibyte = 2 ** 30;

/** Creates a sample of a server with one busy model. @param change fields that differ */
export function serverSample(change: Partial<ServerSample> = {}): ServerSample {
  return {
    time: 1_000_000,
    cpuLoad: 0.42,
    cpuCelsius: undefined,
    memoryTotalBytes: 64 * gibibyte,
    memoryUsedBytes: 18.2 * gibibyte,
    processBytes: 0.2 * gibibyte,
    gpus: [],
    models: [
      {
        name: "qwen3-8b:latest",
        names: ["qwen3-8b:latest"],
        state: "busy",
        running: 2,
        waiting: 1,
        slots: 4,
        contextLength: 8192,
        cacheBytes: 1.5 * gibibyte,
        cacheType: "q8_0",
        ramBytes: 0,
        vramBytes: 6 * gibibyte,
        expiresAt: undefined,
        loadFraction: 1,
        tokensPerSecond: 61.2,
      },
    ],
    running: 2,
    waiting: 1,
    longestWaitMs: 400,
    contextTokens: 4800,
    isRecording: false,
    tokensPerSecond: 61.2,
    uptimeMs: 5000,
    ...change,
  };
}
