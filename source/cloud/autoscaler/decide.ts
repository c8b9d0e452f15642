// Autoscaling decision: a pure function of demand and replicas.
import type { ScaleSettings } from "../app-config.ts";
import type { Demand } from "../gateway/traffic.ts";

/** Replica that is starting or takes requests; draining ones are left out. */
export interface ScaledReplica {
  replica: string;
  isReady: boolean;
  inFlight: number;
  /** Milliseconds since 1970 since which it is idle; for a starting one, its creation. */
  idleSince: number;
  /** True once it answered a request, verified its revision, or was adopted. */
  wasUsed: boolean;
}

export interface ScaleSituation {
  /** Milliseconds since 1970. */
  now: number;
  scale: ScaleSettings;
  demand: Demand;
  replicas: readonly ScaledReplica[];
  /** Replicas that the machine can hold in total; undefined: unlimited. */
  capacity: number | undefined;
  /** Milliseconds since 1970 since which the gateway reports; undefined while none does. */
  reportingSince: number | undefined;
}

export interface ScaleDecision {
  /** Wanted number of replicas, after the limits. */
  want: number;
  /** Number of replicas to start now. */
  start: number;
  /** Replicas to drain now. */
  drain: string[];
  /** Demand behind the decision, for events: "3 busy, 2 queued". */
  because: string;
}

/** Longest keep-alive of a replica that nobody used, when none is kept permanently. */
const unusedKeepAliveMs = 10_000;
/** Time for callers of a gateway that ended to come back to the next one. */
const returnMs = 10_000;
/** Tolerance for rounding errors in quotients of percentages and utilisations. */
const roundingError = 1e-9;

/** Returns the number of replicas for a demand, before the machine's capacity. */
export function wantedReplicas(scale: ScaleSettings, demand: number): number {
  const { maxMultiplexing, concurrencyBuffer, concurrencyBufferPerc, maxConcurrency } = scale;
  const floor = floorOf(scale);
  if (demand === 0) return Math.min(floor, maxConcurrency);
  const need = roundUp(demand / targetOf(scale));
  const spare = roundUp((concurrencyBufferPerc * demand) / (100 * maxMultiplexing));
  return Math.min(Math.max(floor, need + Math.max(concurrencyBuffer, spare)), maxConcurrency);
}

export function decide(situation: ScaleSituation): ScaleDecision {
  const { scale, demand, capacity } = situation;
  const wanted = wantedReplicas(scale, demand.busy + demand.queued);
  const want = Math.min(wanted, capacity ?? wanted);
  return {
    want,
    start: startNow(situation, want),
    drain: drainNow(situation, want),
    because: `${demand.busy} busy, ${demand.queued} queued`,
  };
}

/**
 * Returns the time until which a replica without requests is kept, in milliseconds since 1970;
 * undefined while no gateway reports. A gateway that has just connected knows neither earlier
 * requests nor callers about to return, so the idle time starts anew with it.
 */
export function keptUntil(
  { idleSince, wasUsed }: Pick<ScaledReplica, "idleSince" | "wasUsed">,
  { scale, reportingSince }: Pick<ScaleSituation, "scale" | "reportingSince">,
): number | undefined {
  if (reportingSince === undefined) return undefined;
  const idleFrom = Math.max(idleSince, reportingSince);
  return Math.max(idleFrom + keepAliveOf(scale, wasUsed), reportingSince + returnMs);
}

function keepAliveOf(scale: ScaleSettings, wasUsed: boolean): number {
  if (wasUsed || floorOf(scale) > 0) return scale.keepAliveMs;
  return Math.min(scale.keepAliveMs, unusedKeepAliveMs);
}

/** Returns the number of replicas that are kept without demand. */
export function floorOf({ minConcurrency, concurrencyBuffer }: ScaleSettings): number {
  return Math.max(minConcurrency, concurrencyBuffer);
}

/**
 * Returns the target number of requests per replica. A replica that takes one request at a time is
 * fully used.
 */
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

function drainNow(situation: ScaleSituation, want: number): string[] {
  const { now, replicas } = situation;
  const surplus = replicas.length - want;
  if (surplus <= 0) return [];
  const ready = replicas.filter(({ isReady }) => isReady).length;
  return replicas
    .filter((replica) => {
      if (replica.inFlight > 0) return false;
      // A starting replica is finished even if its caller gave up: the next caller finds it ready.
      if (!replica.isReady && ready < Math.max(want, 1)) return false;
      const wasUsed = replica.wasUsed || !replica.isReady;
      const until = keptUntil({ ...replica, wasUsed }, situation);
      return until !== undefined && now >= until;
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
