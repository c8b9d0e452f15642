// Figures computed from readings: rates of requests and errors, and short histories.

import type { AppDocument, UsageDocument } from "../../../cloud/admin/documents.ts";
import { nameOf } from "./console-texts.ts";

/** Totals of an app at one time. */
interface UsageReading {
  readonly atMs: number;
  readonly requests: number;
  readonly errors: number;
  readonly clientErrors: number;
  readonly ttfbMsP95: number | undefined;
}

const unused = { requests: 0, errors: 0, clientErrors: 0, ttfbMsP95: undefined };

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
  readonly usage: readonly UsageReading[];
}

const noReadings: AppReadings = { inFlight: [], queued: [], usage: [] };

/** Readings of each app; they grow with the number of apps, not with time. */
export class FigureHistory {
  #readings: ReadonlyMap<string, AppReadings> = new Map();

  of(name: string): AppFigures {
    const { usage, ...histories } = this.#readings.get(name) ?? noReadings;
    return { ...histories, ...ratesOf(usage) };
  }

  takeApps(apps: readonly AppDocument[]): void {
    const byName = new Map(apps.map((app) => [nameOf(app), app]));
    this.#take([...byName.keys()], (name, { inFlight, queued }) => ({
      inFlight: [...inFlight, byName.get(name)?.inFlight ?? 0].slice(-historyLength),
      queued: [...queued, byName.get(name)?.queued ?? 0].slice(-historyLength),
    }));
  }

  /** @param names of all apps; apps without requests have no document */
  takeUsage(documents: readonly UsageDocument[], names: readonly string[], atMs: number): void {
    const byName = new Map(documents.map((usage) => [nameOf(usage), usage]));
    this.#take(names, (name, { usage }) => {
      const { requests, errors, clientErrors, ttfbMsP95 } = byName.get(name) ?? unused;
      // Lower sums were reset, by a new hour or a restored backup.
      const isRestart = (usage.at(-1)?.requests ?? 0) > requests;
      const kept = isRestart ? [] : usage.filter((reading) => atMs - reading.atMs <= rateSpanMs);
      return { usage: [...kept, { atMs, requests, errors, clientErrors, ttfbMsP95 }] };
    });
  }

  /** Drops apps that are not named. */
  #take(
    names: readonly string[],
    change: (name: string, before: AppReadings) => Partial<AppReadings>,
  ): void {
    this.#readings = new Map(
      names.map((name) => {
        const before = this.#readings.get(name) ?? noReadings;
        return [name, { ...before, ...change(name, before) }];
      }),
    );
  }
}

function ratesOf(readings: readonly UsageReading[]): Omit<AppFigures, "inFlight" | "queued"> {
  const first = readings[0];
  const last = readings.at(-1);
  const seconds = first && last ? (last.atMs - first.atMs) / 1000 : 0;
  const ttfbMsP95 = last?.ttfbMsP95;
  if (first === undefined || last === undefined || seconds <= 0) {
    const { requestsPerSecond, errorShare, clientErrorShare } = noFigures;
    return { requestsPerSecond, errorShare, clientErrorShare, ttfbMsP95 };
  }
  const requests = last.requests - first.requests;
  const share = (count: number) => (requests === 0 ? undefined : count / requests);
  return {
    requestsPerSecond: requests / seconds,
    errorShare: share(last.errors - first.errors),
    clientErrorShare: share(last.clientErrors - first.clientErrors),
    ttfbMsP95,
  };
}
