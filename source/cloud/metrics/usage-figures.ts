// Usage of an app over a period, as figures that can be added up.
import type { ExchangeRecord } from "../gateway/exchange-record.ts";

/** Use of a replica's time. */
export type ReplicaTime = "starting" | "busy" | "idle" | "draining";
export const replicaTimes = [
  "starting",
  "busy",
  "idle",
  "draining",
] as const satisfies ReplicaTime[];

export type TimeSpent = Record<ReplicaTime, number>;

export interface UsageFigures {
  requests: number;
  /**
   * Responses with a status of 500 or more, and streams that ended with an error of the gateway or
   * the replica; disconnected clients do not count.
   */
  errors: number;
  /** Responses with a status of 400 to 498: mistakes of callers, or an app without that route. */
  clientErrors: number;
  coldStarts: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** Responses by time to first byte, in the buckets of `firstByteStepsMs`. */
  firstByteCounts: number[];
  /** Milliseconds, summed over all replicas. */
  replicaMs: TimeSpent;
  /** Milliseconds by GPU name, summed over all GPUs. */
  gpuMs: Record<string, TimeSpent>;
}

/** Upper bounds: 1 ms, 1.25 ms ... about an hour; the last count holds slower responses. */
export const firstByteStepsMs: readonly number[] = Array.from(
  { length: 68 },
  (_, step) => 1.25 ** step,
);

export function noUsage(): UsageFigures {
  return {
    requests: 0,
    errors: 0,
    clientErrors: 0,
    coldStarts: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    firstByteCounts: [],
    replicaMs: noTime(),
    gpuMs: {},
  };
}

const clientLeft = 499;

export function addRequest(figures: UsageFigures, record: ExchangeRecord): void {
  figures.requests += 1;
  if (record.status >= 500 || endsWithError(record)) figures.errors += 1;
  else if (record.status >= 400 && record.status < clientLeft) figures.clientErrors += 1;
  if (record.isColdStart) figures.coldStarts += 1;
  figures.promptTokens += record.tokens?.prompt ?? 0;
  figures.completionTokens += record.tokens?.completion ?? 0;
  figures.cachedTokens += record.tokens?.cached ?? 0;
  if (record.firstByteMs !== undefined) addCount(figures, stepOf(record.firstByteMs), 1);
}

/** @param gpus names of the GPUs that the replica holds */
export function addReplicaTime(
  figures: UsageFigures,
  kind: ReplicaTime,
  ms: number,
  gpus: readonly string[],
): void {
  figures.replicaMs[kind] += ms;
  for (const gpu of gpus) timeOf(figures, gpu)[kind] += ms;
}

export function addFigures(total: UsageFigures, more: UsageFigures): void {
  total.requests += more.requests;
  total.errors += more.errors;
  total.clientErrors += more.clientErrors;
  total.coldStarts += more.coldStarts;
  total.promptTokens += more.promptTokens;
  total.completionTokens += more.completionTokens;
  total.cachedTokens += more.cachedTokens;
  for (const [step, count] of more.firstByteCounts.entries()) addCount(total, step, count);
  for (const kind of replicaTimes) total.replicaMs[kind] += more.replicaMs[kind];
  for (const [gpu, spent] of Object.entries(more.gpuMs)) {
    const time = timeOf(total, gpu);
    for (const kind of replicaTimes) time[kind] += spent[kind];
  }
}

/**
 * @param share such as 0.95
 * @returns the upper bound of the bucket that holds it, at most 25 % too high; undefined without
 * responses
 */
export function firstByteMsAt(figures: UsageFigures, share: number): number | undefined {
  const total = figures.firstByteCounts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let below = 0;
  for (const [step, count] of figures.firstByteCounts.entries()) {
    below += count;
    if (below >= share * total) return firstByteStepsMs[step] ?? firstByteStepsMs.at(-1);
  }
  return undefined;
}

function stepOf(ms: number): number {
  const step = firstByteStepsMs.findIndex((end) => ms <= end);
  return step < 0 ? firstByteStepsMs.length : step;
}

function addCount(figures: UsageFigures, step: number, count: number): void {
  while (figures.firstByteCounts.length <= step) figures.firstByteCounts.push(0);
  figures.firstByteCounts[step] = (figures.firstByteCounts[step] ?? 0) + count;
}

function endsWithError({ errorType, status }: ExchangeRecord): boolean {
  return (
    errorType !== undefined && errorType !== "client_disconnected" && status >= 200 && status < 400
  );
}

function timeOf(figures: UsageFigures, gpu: string): TimeSpent {
  const known = figures.gpuMs[gpu];
  if (known !== undefined) return known;
  const none = noTime();
  figures.gpuMs[gpu] = none;
  return none;
}

function noTime(): TimeSpent {
  return { starting: 0, busy: 0, idle: 0, draining: 0 };
}

/** Price of one GPU hour by GPU name; "*" for all others. */
export type Prices = Readonly<Record<string, number>>;

const hourMs = 3_600_000;

/** Returns the cost of the GPU time. */
export function costOf({ gpuMs }: UsageFigures, prices: Prices): number {
  const costs = Object.entries(gpuMs).flatMap(([gpu, spent]) => {
    const price = priceOf(gpu, prices);
    return Object.values(spent).map((ms) => (ms / hourMs) * price);
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** Returns the price of the longest matching name: "H100" for "NVIDIA H100 80GB HBM3". */
function priceOf(gpu: string, prices: Prices): number {
  const names = Object.keys(prices).filter((name) => name !== "*" && gpu.includes(name));
  const best = names.sort((one, other) => other.length - one.length)[0];
  return prices[best ?? "*"] ?? 0;
}
