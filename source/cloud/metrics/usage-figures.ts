// Usage of an app over a period, as figures that can be added up.
import type { AnswerCounts } from "../admin/documents.ts";
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

/** Answers to requests. */
export interface AnswerFigures {
  requests: number;
  /**
   * Responses with a status of 500 or more, and streams that ended with an error of the gateway or
   * the replica; disconnected clients do not count.
   */
  errors: number;
  /** Responses with a status of 400 to 498: mistakes of callers, or an app without that route. */
  clientErrors: number;
  /** Responses by time to first byte, in the buckets of `firstByteStepsMs`. */
  firstByteCounts: number[];
}

export interface UsageFigures extends AnswerFigures {
  /** Requests of the queue, which `requests` includes. */
  queued: number;
  coldStarts: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** Answers by revision. */
  revisions: Record<string, AnswerFigures>;
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

export function noAnswers(): AnswerFigures {
  return { requests: 0, errors: 0, clientErrors: 0, firstByteCounts: [] };
}

export function noUsage(): UsageFigures {
  return {
    ...noAnswers(),
    queued: 0,
    coldStarts: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    revisions: {},
    replicaMs: noTime(),
    gpuMs: {},
  };
}

const clientLeft = 499;

export function addAnswer(figures: AnswerFigures, record: ExchangeRecord): void {
  figures.requests += 1;
  if (record.status >= 500 || endsWithError(record)) figures.errors += 1;
  else if (record.status >= 400 && record.status < clientLeft) figures.clientErrors += 1;
  if (record.firstByteMs !== undefined) addCount(figures, stepOf(record.firstByteMs), 1);
}

export function addRequest(figures: UsageFigures, record: ExchangeRecord): void {
  addAnswer(figures, record);
  if (record.revision !== undefined) addAnswer(answersOf(figures, record.revision), record);
  if (record.isQueued === true) figures.queued += 1;
  if (record.isColdStart) figures.coldStarts += 1;
  figures.promptTokens += record.tokens?.prompt ?? 0;
  figures.completionTokens += record.tokens?.completion ?? 0;
  figures.cachedTokens += record.tokens?.cached ?? 0;
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

function addAnswers(total: AnswerFigures, more: AnswerFigures): void {
  total.requests += more.requests;
  total.errors += more.errors;
  total.clientErrors += more.clientErrors;
  for (const [step, count] of more.firstByteCounts.entries()) addCount(total, step, count);
}

export function addFigures(total: UsageFigures, more: UsageFigures): void {
  addAnswers(total, more);
  for (const [revision, answers] of Object.entries(more.revisions)) {
    addAnswers(answersOf(total, revision), answers);
  }
  total.queued += more.queued;
  total.coldStarts += more.coldStarts;
  total.promptTokens += more.promptTokens;
  total.completionTokens += more.completionTokens;
  total.cachedTokens += more.cachedTokens;
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
export function firstByteMsAt(figures: AnswerFigures, share: number): number | undefined {
  const total = figures.firstByteCounts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let below = 0;
  for (const [step, count] of figures.firstByteCounts.entries()) {
    below += count;
    if (below >= share * total) return firstByteStepsMs[step] ?? firstByteStepsMs.at(-1);
  }
  return undefined;
}

/** Returns the counts for a document. */
export function answerCounts(figures: AnswerFigures): AnswerCounts {
  const { requests, errors, clientErrors } = figures;
  return {
    ...{ requests, errors, clientErrors },
    ttfbMsP50: firstByteMsAt(figures, 0.5),
    ttfbMsP95: firstByteMsAt(figures, 0.95),
  };
}

function stepOf(ms: number): number {
  const step = firstByteStepsMs.findIndex((end) => ms <= end);
  return step < 0 ? firstByteStepsMs.length : step;
}

function answersOf({ revisions }: UsageFigures, revision: string): AnswerFigures {
  const answers = revisions[revision] ?? noAnswers();
  revisions[revision] = answers;
  return answers;
}

function addCount(figures: AnswerFigures, step: number, count: number): void {
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
