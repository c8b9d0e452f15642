// Samples the machine once a second while a client follows.
import os from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { RingBuffer } from "../base/ring-buffer.ts";
import { CpuTemperature } from "./cpu-temperature.ts";
import { GpuReader, type GpuSample } from "./gpu-sample.ts";
import type { LoadedModelSample } from "./loaded-model-sample.ts";

export interface MachineSample {
  /** Milliseconds since 1970. */
  time: number;
  /** `load` is 0 to 1 over all cores; the temperature undefined where no sensor tells. */
  cpu: { cores: number; load: number; temperatureCelsius: number | undefined };
  /** `processBytes` is the server's own; models are in processes of theirs. */
  memory: { totalBytes: number; usedBytes: number; processBytes: number };
  gpus: GpuSample[];
  models: LoadedModelSample[];
  requests: { running: number; waiting: number } & RequestsSample;
  /** Sum over all answers. */
  tokensPerSecond: number;
  /** Uptime of the server, in milliseconds. */
  uptimeMs: number;
}

/** Unfinished requests in the request log. */
export interface RequestsSample {
  /** Waiting time of the request that has waited longest, in milliseconds; 0 when none waits. */
  longestWaitMs: number;
  /** Tokens that the running requests hold in their windows. */
  contextTokens: number;
  /** Prompts, answers and bodies are recorded. */
  areRecorded: boolean;
}

export interface MonitorOptions {
  models: () => LoadedModelSample[];
  /** Ever growing. */
  generatedTokens: () => number;
  requests: () => RequestsSample;
  gpus?: Pick<GpuReader, "read">;
  temperature?: Pick<CpuTemperature, "celsius">;
  intervalMs?: number;
}

const usualIntervalMs = 1000;
/** Over which a single look measures. */
const glanceMs = 200;
const keptSamples = 300;

interface Counts {
  at: number;
  tokens: number;
  busyMs: number;
  totalMs: number;
}

export class MachineMonitor {
  readonly #options: MonitorOptions;
  readonly #gpuReader: Pick<GpuReader, "read">;
  readonly #temperature: Pick<CpuTemperature, "celsius">;
  readonly #followers = new Set<(sample: MachineSample) => void>();
  readonly #series = new RingBuffer<MachineSample>(keptSamples);
  #timer: NodeJS.Timeout | undefined;
  #last: Counts | undefined;
  #gpus: GpuSample[] = [];
  #isReadingGpus = false;
  readonly #startedAt = performance.now();

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#gpuReader = options.gpus ?? new GpuReader();
    this.#temperature = options.temperature ?? new CpuTemperature();
  }

  /** Samples of the last minutes, oldest first, with gaps while no client followed. */
  get series(): MachineSample[] {
    return this.#series.toArray();
  }

  /** Number of those who follow. */
  get followers(): number {
    return this.#followers.size;
  }

  /** One look, for those who do not follow. */
  async glance(): Promise<MachineSample> {
    const before = this.#count();
    const [gpus] = await Promise.all([this.#gpuReader.read(), wait(glanceMs)]);
    return this.#sample(before, this.#count(), gpus);
  }

  /** @returns a function that ends it; the last one to leave ends the sampling */
  follow(follower: (sample: MachineSample) => void): () => void {
    this.#followers.add(follower);
    if (this.#timer === undefined) this.#start();
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #start(): void {
    this.#last = this.#count();
    void this.#readGpus();
    this.#timer = setInterval(() => {
      void this.#readGpus();
      const now = this.#count();
      const sample = this.#sample(this.#last ?? now, now, this.#gpus);
      this.#last = now;
      this.#series.push(sample);
      for (const follower of this.#followers) follower(sample);
    }, this.#options.intervalMs ?? usualIntervalMs);
    this.#timer.unref();
  }

  /** The tools may be slow: a sample uses their last output. */
  async #readGpus(): Promise<void> {
    if (this.#isReadingGpus) return;
    this.#isReadingGpus = true;
    this.#gpus = await this.#gpuReader.read();
    this.#isReadingGpus = false;
  }

  #count(): Counts {
    const cores = os.cpus();
    const totalMs = cores.reduce((sum, { times }) => sum + timesOf(times), 0);
    const idleMs = cores.reduce((sum, { times }) => sum + times.idle, 0);
    const tokens = this.#options.generatedTokens();
    return { at: performance.now(), tokens, busyMs: totalMs - idleMs, totalMs };
  }

  #sample(before: Counts, now: Counts, gpus: GpuSample[]): MachineSample {
    const models = this.#options.models();
    const total = (name: "running" | "waiting") =>
      models.reduce((sum, model) => sum + model[name], 0);
    const seconds = (now.at - before.at) / 1000;
    const passedMs = now.totalMs - before.totalMs;
    return {
      time: Date.now(),
      cpu: {
        cores: os.availableParallelism(),
        load: passedMs > 0 ? (now.busyMs - before.busyMs) / passedMs : 0,
        temperatureCelsius: this.#temperature.celsius,
      },
      memory: memory(),
      gpus,
      models,
      requests: {
        running: total("running"),
        waiting: total("waiting"),
        ...this.#options.requests(),
      },
      tokensPerSecond: seconds > 0 ? (now.tokens - before.tokens) / seconds : 0,
      uptimeMs: performance.now() - this.#startedAt,
    };
  }
}

function timesOf(times: os.CpuInfo["times"]): number {
  return times.user + times.nice + times.sys + times.idle + times.irq;
}

/** Uses a container's limit if there is one. */
function memory(): MachineSample["memory"] {
  const limit = process.constrainedMemory();
  const totalBytes = limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
  const freeBytes = Math.min(process.availableMemory(), totalBytes);
  const processBytes = process.memoryUsage.rss();
  return { totalBytes, usedBytes: totalBytes - freeBytes, processBytes };
}
