// The server's metrics of its machine and models: one sample a second.
import { shownModel } from "../base/display-text.ts";
import type { ApiClient } from "./api-client.ts";
import { entriesOf, fieldsOf, numberOf, optionalNumber, textOf, textsOf } from "./reply-fields.ts";

export interface GpuFigures {
  name: string;
  /** 0 to 1; undefined if the card does not report it, as below. */
  load: number | undefined;
  memoryUsedBytes: number | undefined;
  memoryTotalBytes: number | undefined;
  temperatureCelsius: number | undefined;
}

export interface LoadedModelFigures {
  name: string;
  /** All names that use the loaded weights, including `name`. */
  names: string[];
  /** `loading`, `busy` or `idle`. */
  state: string;
  running: number;
  waiting: number;
  slots: number;
  /** Tokens of one slot's window. */
  contextLength: number;
  /** Memory of all windows together, and the type of its numbers. */
  cacheBytes: number;
  cacheType: string;
  ramBytes: number;
  vramBytes: number;
  /** Milliseconds since 1970; undefined while it is in use or pinned. */
  expiresAt: number | undefined;
  /** 0 to 1. */
  loadFraction: number;
}

export interface ServerSample {
  /** Milliseconds since 1970. */
  time: number;
  cpuCores: number;
  /** 0 to 1 over all cores. */
  cpuLoad: number;
  /** Undefined without a sensor. */
  cpuCelsius: number | undefined;
  memoryTotalBytes: number;
  memoryUsedBytes: number;
  /** Memory of the server without its models. */
  processBytes: number;
  gpus: GpuFigures[];
  models: LoadedModelFigures[];
  running: number;
  waiting: number;
  /** Longest waiting time of a request; 0 if none waits. */
  longestWaitMs: number;
  /** Tokens in the windows of running requests. */
  contextTokens: number;
  /** True while prompts, answers and bodies are recorded. */
  isRecording: boolean;
  /** Sum over all answers. */
  tokensPerSecond: number;
  /** Uptime of the server. */
  uptimeMs: number;
}

/**
 * Yields a sample each second, until the signal aborts or the server ends.
 *
 * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
 */
export async function* followMetrics(
  client: ApiClient,
  signal: AbortSignal,
): AsyncGenerator<ServerSample> {
  for await (const record of client.getForRecords("/api/metrics?follow=true", signal)) {
    yield readSample(record);
  }
}

export function readSample(record: Record<string, unknown>): ServerSample {
  const cpu = fieldsOf(record.cpu);
  const memory = fieldsOf(record.memory);
  const requests = fieldsOf(record.requests);
  return {
    time: numberOf(record.time),
    cpuCores: numberOf(cpu.cores),
    cpuLoad: numberOf(cpu.load),
    cpuCelsius: optionalNumber(cpu.temperatureCelsius),
    memoryTotalBytes: numberOf(memory.totalBytes),
    memoryUsedBytes: numberOf(memory.usedBytes),
    processBytes: numberOf(memory.processBytes),
    gpus: entriesOf(record.gpus).map((gpu) => ({
      name: textOf(gpu.name),
      load: optionalNumber(gpu.load),
      memoryUsedBytes: optionalNumber(gpu.memoryUsedBytes),
      memoryTotalBytes: optionalNumber(gpu.memoryTotalBytes),
      temperatureCelsius: optionalNumber(gpu.temperatureCelsius),
    })),
    models: entriesOf(record.models).map((model) => ({
      name: shownModel(textOf(model.name)),
      names: textsOf(model.names),
      state: textOf(model.state),
      running: numberOf(model.running),
      waiting: numberOf(model.waiting),
      slots: numberOf(model.slots),
      contextLength: numberOf(model.contextLength),
      cacheBytes: numberOf(model.cacheBytes),
      cacheType: textOf(model.cacheType),
      ramBytes: numberOf(model.ramBytes),
      vramBytes: numberOf(model.vramBytes),
      expiresAt: optionalNumber(model.expiresAt),
      loadFraction: numberOf(model.loadFraction),
    })),
    running: numberOf(requests.running),
    waiting: numberOf(requests.waiting),
    longestWaitMs: numberOf(requests.longestWaitMs),
    contextTokens: numberOf(requests.contextTokens),
    isRecording: requests.areRecorded === true,
    tokensPerSecond: numberOf(record.tokensPerSecond),
    uptimeMs: numberOf(record.uptimeMs),
  };
}
