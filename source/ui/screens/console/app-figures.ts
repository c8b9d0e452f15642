// Figures computed from readings: rates of requests and errors, and short histories.

import type { AppDocument, UsageDocument } from "../../../cloud/admin/documents.ts";
import { nameOf } from "./console-texts.ts";

type Totals = Pick<UsageDocument, "requests" | "errors" | "clientErrors" | "ttfbMsP95">;

const unused: Totals = { requests: 0, errors: 0, clientErrors: 0, ttfbMsP95: undefined };

export interface AppFigures {
  /** In the last seconds; undefined until there are two readings. */
  readonly requestsPerSecond: number | undefined;
  /** Share of the requests in that time that failed, 0 to 1; undefined without any. */
  readonly errorShare: number | undefined;
  /** Share of those that were answered with a status of 400 to 498. */
  readonly clientErrorShare: number | undefined;
  /** Time to the first byte in this hour. */
  readonly ttfbMsP95: number | undefined;
  /** A value per reading of the last minute, oldest first. */
  readonly inFlight: readonly number[];
  readonly queued: readonly number[];
}

export const noFigures: AppFigures = {
  requestsPerSecond: undefined,
  errorShare: undefined,
  clientErrorShare: undefined,
  ttfbMsP95: undefined,
  inFlight: [],
  queued: [],
};

/** Period of the rates. */
const rateSpanMs = 15_000;
const historyLength = 60;

interface AppReadings extends Pick<AppFigures, "inFlight" | "queued"> {
  readonly usage: readonly (Totals & { readonly atMs: number })[];
}

const noReadings: AppReadings = { inFlight: [], queued: [], usage: [] };

/** Readings of each app; they grow with the number of apps, not with time. */
export class FigureHistory {
  #readings: ReadonlyMap<string, AppReadings> = new Map();

  of(name: string): AppFigures {
    const { usage, ...histories } = this.#readings.get(name) ?? noReadings;
    return { ...ratesOf(usage), ...histories };
  }

  /**
   * Adds a reading of all apps, and drops the figures of apps that are gone.
   *
   * @param usages undefined if not read; apps without requests have no document
   */
  take(
    apps: readonly AppDocument[],
    usages: readonly UsageDocument[] | undefined,
    atMs: number,
  ): void {
    const usageOf = usages && new Map(usages.map((usage) => [nameOf(usage), usage]));
    this.#readings = new Map(
      apps.map((app) => {
        const name = nameOf(app);
        const { inFlight, queued, usage } = this.#readings.get(name) ?? noReadings;
        const readings = {
          inFlight: [...inFlight, app.inFlight].slice(-historyLength),
          queued: [...queued, app.queued].slice(-historyLength),
          usage: usageOf ? withReading(usage, usageOf.get(name) ?? unused, atMs) : usage,
        };
        return [name, readings];
      }),
    );
  }
}

function withReading(
  before: AppReadings["usage"],
  { requests, errors, clientErrors, ttfbMsP95 }: Totals,
  atMs: number,
): AppReadings["usage"] {
  // Lower sums were reset, by a new hour or a restored backup.
  const isRestart = (before.at(-1)?.requests ?? 0) > requests;
  const kept = isRestart ? [] : before.filter((reading) => atMs - reading.atMs <= rateSpanMs);
  return [...kept, { requests, errors, clientErrors, ttfbMsP95, atMs }];
}

function ratesOf(readings: AppReadings["usage"]): Omit<AppFigures, "inFlight" | "queued"> {
  const last = readings.at(-1);
  const [first = last] = readings;
  if (first === undefined || last === undefined) return noFigures;
  const { ttfbMsP95 } = last;
  const seconds = (last.atMs - first.atMs) / 1000;
  const requests = last.requests - first.requests;
  const per = (count: number, total: number) => (total > 0 ? count / total : undefined);
  return {
    requestsPerSecond: per(requests, seconds),
    errorShare: per(last.errors - first.errors, requests),
    clientErrorShare: per(last.clientErrors - first.clientErrors, requests),
    ttfbMsP95,
  };
}
