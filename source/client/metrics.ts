// The server's metrics of its machine and models: one sample a second.
import { shownModel } from "../base/display-text.ts";
import type { ApiClient } from "./api-client.ts";
import {
  entriesOf,
  type Fields,
  fieldsOf,
  numberOf,
  optionalNumber,
  textOf,
  textsOf,
} from "./reply-fields.ts";

export type ServerSample = ReturnType<typeof readSample>;
export type LoadedModelFigures = ReturnType<typeof readLoadedModel>;

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

export function readSample(record: Fields) {
  const cpu = fieldsOf(record.cpu);
  const memory = fieldsOf(record.memory);
  const requests = fieldsOf(record.requests);
  return {
    /** Milliseconds since 1970. */
    time: numberOf(record.time),
    /** 0 to 1 over all cores. */
    cpuLoad: numberOf(cpu.load),
    /** Undefined without a sensor. */
    cpuCelsius: optionalNumber(cpu.temperatureCelsius),
    memoryTotalBytes: numberOf(memory.totalBytes),
    memoryUsedBytes: numberOf(memory.usedBytes),
    /** Memory of the server without its models. */
    processBytes: numberOf(memory.processBytes),
    gpus: entriesOf(record.gpus).map(readGpu),
    models: entriesOf(record.models).map(readLoadedModel),
    running: numberOf(requests.running),
    waiting: numberOf(requests.waiting),
    /** Longest waiting time of a request; 0 if none waits. */
    longestWaitMs: numberOf(requests.longestWaitMs),
    /** Tokens in the windows of running requests. */
    contextTokens: numberOf(requests.contextTokens),
    /** True while prompts, answers and bodies are recorded. */
    isRecording: requests.areRecorded === true,
    /** Sum over all answers. */
    tokensPerSecond: numberOf(record.tokensPerSecond),
    /** Uptime of the server. */
    uptimeMs: numberOf(record.uptimeMs),
  };
}

/** A figure that the card does not report is undefined. */
function readGpu(gpu: Fields) {
  return {
    name: textOf(gpu.name),
    /** 0 to 1. */
    load: optionalNumber(gpu.load),
    memoryUsedBytes: optionalNumber(gpu.memoryUsedBytes),
    memoryTotalBytes: optionalNumber(gpu.memoryTotalBytes),
    temperatureCelsius: optionalNumber(gpu.temperatureCelsius),
  };
}

function readLoadedModel(model: Fields) {
  return {
    name: shownModel(textOf(model.name)),
    /** All names that use the loaded weights, including `name`. */
    names: textsOf(model.names),
    /** `loading`, `warming up`, `busy` or `idle`. */
    state: textOf(model.state),
    running: numberOf(model.running),
    waiting: numberOf(model.waiting),
    slots: numberOf(model.slots),
    /** Tokens of one slot's window. */
    contextLength: numberOf(model.contextLength),
    /** Memory of all windows together, and the type of its numbers. */
    cacheBytes: numberOf(model.cacheBytes),
    cacheType: textOf(model.cacheType),
    ramBytes: numberOf(model.ramBytes),
    vramBytes: numberOf(model.vramBytes),
    /** Milliseconds since 1970; undefined while it is in use or pinned. */
    expiresAt: optionalNumber(model.expiresAt),
    /** 0 to 1. */
    loadFraction: numberOf(model.loadFraction),
    tokensPerSecond: numberOf(model.tokensPerSecond),
  };
}
