// How many replicas an app is to have: a pure function of what is asked of it and what it has.
import type { ScaleSettings } from "../app-config.ts";
import type { Demand } from "../gateway/traffic.ts";

/** A replica that is starting or takes requests; those that leave are not told of. */
export interface ScaledReplica {
  replica: string;
  isReady: boolean;
  inFlight: number;
  /** Milliseconds since 1970 from which it has nothing to do; of a starting one, its beginning. */
  idleSince: number;
  /** Whether it was of use: answered a request, verified its revision, or was adopted. */
  wasUsed: boolean;
}

export interface ScaleSituation {
  /** Milliseconds since 1970. */
  now: number;
  scale: ScaleSettings;
  demand: Demand;
  replicas: readonly ScaledReplica[];
  /** How many replicas the machine can hold in all; undefined: not asked, as many as are wanted. */
  capacity: number | undefined;
}

export interface ScaleDecision {
  /** Replicas that there are to be, after the limits. */
  want: number;
  /** How many to start now. */
  start: number;
  /** Replicas to drain now. */
  drain: string[];
  /** The numbers that led to it, for the event: "3 busy, 2 queued". */
  because: string;
}

/** A replica that nobody used is not kept long where none is to be kept at all. */
const unusedKeepAliveMs = 10_000;
/** Quotients of percentages and utilisations may miss a whole number by so much. */
const roundingError = 1e-9;

/** Replicas that demand alone asks for, before the machine's capacity. */
export function wantedReplicas(scale: ScaleSettings, demand: number): number {
  const { maxMultiplexing, concurrencyBuffer, concurrencyBufferPerc, maxConcurrency } = scale;
  const floor = floorOf(scale);
  if (demand === 0) return Math.min(floor, maxConcurrency);
  const need = roundUp(demand / targetOf(scale));
  const spare = roundUp((concurrencyBufferPerc * demand) / (100 * maxMultiplexing));
  return Math.min(Math.max(floor, need + Math.max(concurrencyBuffer, spare)), maxConcurrency);
}

export function decide(situation: ScaleSituation): ScaleDecision {
  const { scale, demand, replicas, capacity } = situation;
  const wanted = wantedReplicas(scale, demand.busy + demand.queued);
  const want = Math.min(wanted, capacity ?? wanted);
  return {
    want,
    start: startNow(situation, want),
    drain: drainNow(situation, want),
    because: `${demand.busy} busy, ${demand.queued} queued, ${replicas.length} replicas`,
  };
}

/** How long a replica is kept that has nothing to do. */
export function keepAliveOf(scale: ScaleSettings, wasUsed: boolean): number {
  if (wasUsed || floorOf(scale) > 0) return scale.keepAliveMs;
  return Math.min(scale.keepAliveMs, unusedKeepAliveMs);
}

/** Replicas that are kept whatever is asked. */
export function floorOf({ minConcurrency, concurrencyBuffer }: ScaleSettings): number {
  return Math.max(minConcurrency, concurrencyBuffer);
}

/** Requests that one replica should have. One that takes a single request is used to the full. */
function targetOf({ maxMultiplexing, targetUtilization }: ScaleSettings): number {
  return maxMultiplexing === 1 ? 1 : maxMultiplexing * targetUtilization;
}

function startNow({ scale, demand, replicas }: ScaleSituation, want: number): number {
  const missing = want - replicas.length;
  const isDue = demand.oldestQueuedMs >= scale.scalingDelayMs;
  if (missing <= 0 || !(isDue || replicas.length < floorOf(scale))) return 0;
  const starting = replicas.filter(({ isReady }) => !isReady).length;
  return Math.max(0, Math.min(missing, scale.maxStarting - starting));
}

function drainNow({ now, scale, replicas }: ScaleSituation, want: number): string[] {
  const surplus = replicas.length - want;
  if (surplus <= 0) return [];
  const ready = replicas.filter(({ isReady }) => isReady).length;
  return replicas
    .filter((replica) => {
      if (replica.inFlight > 0) return false;
      // A start that somebody gave up waiting for is finished: the next caller finds it ready.
      if (!replica.isReady && ready < Math.max(want, 1)) return false;
      const keepAliveMs = keepAliveOf(scale, replica.wasUsed || !replica.isReady);
      return now - replica.idleSince >= keepAliveMs;
    })
    .sort((one, other) =>
      one.isReady === other.isReady
        ? one.idleSince - other.idleSince
        : Number(one.isReady) - Number(other.isReady),
    )
    .slice(0, surplus)
    .map(({ replica }) => replica);
}

function roundUp(value: number): number {
  return Math.ceil(value - roundingError);
}
