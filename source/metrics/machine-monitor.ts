// Samples the machine once a second while a client follows.
import os from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { RingBuffer } from "../base/ring-buffer.ts";
import { GpuReader, type GpuSample } from "./gpu-sample.ts";

export interface MachineSample {
  /** Milliseconds since 1970. */
  time: number;
  /** `load` is 0 to 1 over all cores; the temperature undefined without a sensor. */
  cpu: { cores: number; load: number; temperatureCelsius: number | undefined };
  /** `processBytes` is the server's, without its models. */
  memory: { totalBytes: number; usedBytes: number; processBytes: number };
  gpus: GpuSample[];
  models: ModelSample[];
  requests: { running: number; waiting: number } & RequestsSample;
  /** Sum over all answers. */
  tokensPerSecond: number;
  /** Uptime of the server, in milliseconds. */
  uptimeMs: number;
}

/** A loaded model, and what it writes. */
type ModelSample = LoadedModelSample & { tokensPerSecond: number };

/** A model that is loaded or being loaded. */
export interface LoadedModelSample {
  name: string;
  /** All names that use the loaded weights, including `name`. */
  names: string[];
  state: "loading" | "warming up" | "busy" | "idle";
  /** Requests that are being answered. */
  running: number;
  /** Requests that wait for the load or for a slot. */
  waiting: number;
  ramBytes: number;
  vramBytes: number;
  /** Requests answered at a time, each with a window of `contextLength` tokens. */
  slots: number;
  contextLength: number;
  /** Memory of all windows together, and the type of its numbers. */
  cacheBytes: number;
  cacheType: string;
  /** Milliseconds since 1970; undefined while it is in use or pinned. */
  expiresAt: number | undefined;
  /** 0 to 1. */
  loadFraction: number;
}

/** Unfinished requests in the request log. */
export interface RequestsSample {
  /** Longest waiting time of a request; 0 if none waits. */
  longestWaitMs: number;
  /** Tokens in the windows of running requests. */
  contextTokens: number;
  /** True while prompts, answers and bodies are recorded. */
  areRecorded: boolean;
}

export interface MonitorOptions {
  models: () => LoadedModelSample[];
  /** Tokens so far by a model's name; they never decrease. */
  generatedTokens: () => ReadonlyMap<string, number>;
  requests: () => RequestsSample;
  gpus?: Pick<GpuReader, "read">;
  temperature?: Pick<CpuTemperature, "celsius">;
  intervalMs?: number;
}

const usualIntervalMs = 1000;
/** Measuring time of a single sample. */
const glanceMs = 200;
/** Minimum interval between temperatures: they change slowly, and reading one starts programs. */
const temperatureRestMs = 5000;
const keptSamples = 300;

interface Counts {
  at: number;
  tokens: ReadonlyMap<string, number>;
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

  /** Samples of the last minutes, oldest first; with gaps, as only followed samples are kept. */
  get series(): MachineSample[] {
    return this.#series.toArray();
  }

  /** Number of followers. */
  get followers(): number {
    return this.#followers.size;
  }

  /** Takes a single sample. */
  async glance(): Promise<MachineSample> {
    const before = this.#count();
    const [gpus] = await Promise.all([this.#gpuReader.read(), wait(glanceMs)]);
    return this.#sample(before, this.#count(), gpus);
  }

  /** Samples until the last follower leaves. @returns a function that stops following */
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

  /** Tools may be slow, so samples use their last output. */
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
    const tokens = new Map(this.#options.generatedTokens());
    return { at: performance.now(), tokens, busyMs: totalMs - idleMs, totalMs };
  }

  #sample(before: Counts, now: Counts, gpus: GpuSample[]): MachineSample {
    const models = this.#options.models();
    const total = (name: "running" | "waiting") =>
      models.reduce((sum, model) => sum + model[name], 0);
    const seconds = (now.at - before.at) / 1000;
    const rateOf = (names: Iterable<string>) =>
      seconds > 0 ? (sum(now.tokens, names) - sum(before.tokens, names)) / seconds : 0;
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
      models: models.map((model) => ({ ...model, tokensPerSecond: rateOf(model.names) })),
      requests: {
        running: total("running"),
        waiting: total("waiting"),
        ...this.#options.requests(),
      },
      tokensPerSecond: rateOf([...now.tokens.keys()]),
      uptimeMs: performance.now() - this.#startedAt,
    };
  }
}

function sum(counts: ReadonlyMap<string, number>, names: Iterable<string>): number {
  let total = 0;
  for (const name of names) total += counts.get(name) ?? 0;
  return total;
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

export type ReadTemperature = () => Promise<number | undefined>;

/** Reads degrees Celsius; undefined without a readable sensor. */
export const readCpuTemperature: ReadTemperature = async () => {
  // Imported on first use, as it is large.
  const { cpuTemperature } = await import("systeminformation");
  const { main } = await cpuTemperature();
  return typeof main === "number" && main > 0 ? main : undefined;
};

/** The newest temperature, read in the background. */
export class CpuTemperature {
  readonly #read: ReadTemperature;
  #celsius: number | undefined;
  #askedAtMs = -Infinity;
  #isAsking = false;

  constructor(read: ReadTemperature = readCpuTemperature) {
    this.#read = read;
  }

  /** Returns the last reading, and starts a new one if it is old. */
  get celsius(): number | undefined {
    const nowMs = performance.now();
    if (!this.#isAsking && nowMs - this.#askedAtMs >= temperatureRestMs) {
      this.#isAsking = true;
      this.#askedAtMs = nowMs;
      this.#read().then(
        (celsius) => this.#keep(celsius),
        // No sensor is not an error.
        () => this.#keep(undefined),
      );
    }
    return this.#celsius;
  }

  #keep(celsius: number | undefined): void {
    this.#celsius = celsius;
    this.#isAsking = false;
  }
}
