// Figures computed from the readings that come: rates of requests and errors, and short histories.

import type { AppDocument, UsageDocument } from "../../../cloud/admin/documents.ts";
import { nameOf } from "./console-texts.ts";

/** Sums that the server has counted for an app, at a moment. */
interface UsageReading {
  readonly atMs: number;
  readonly requests: number;
  readonly errors: number;
  readonly ttfbMsP95: number | undefined;
}

const unused = { requests: 0, errors: 0, ttfbMsP95: undefined };

export interface AppFigures {
  /** In the last seconds; undefined until there are two readings. */
  readonly requestsPerSecond: number | undefined;
  /** Share of the requests in that time, 0 to 1; undefined without any. */
  readonly errorShare: number | undefined;
  /** Time to the first byte in this hour. */
  readonly ttfbMsP95: number | undefined;
  /** One for each reading of the last minute, oldest first. */
  readonly inFlight: readonly number[];
  readonly queued: readonly number[];
}

export const noFigures: AppFigures = {
  requestsPerSecond: undefined,
  errorShare: undefined,
  ttfbMsP95: undefined,
  inFlight: [],
  queued: [],
};

/** Rates are taken over so long. */
const rateSpanMs = 15_000;
const historyLength = 60;

/** Readings of each app; they grow with the number of apps, not with time. */
export class FigureBook {
  readonly #readings = new Map<string, UsageReading[]>();
  readonly #histories = new Map<string, { inFlight: number[]; queued: number[] }>();

  of(name: string): AppFigures {
    const readings = this.#readings.get(name) ?? [];
    const history = this.#histories.get(name) ?? noFigures;
    return { ...history, ...ratesOf(readings) };
  }

  takeApps(apps: readonly AppDocument[]): void {
    const names = new Set(apps.map(nameOf));
    for (const name of this.#histories.keys()) if (!names.has(name)) this.#histories.delete(name);
    for (const app of apps) {
      const { inFlight, queued } = this.#histories.get(nameOf(app)) ?? noFigures;
      this.#histories.set(nameOf(app), {
        inFlight: [...inFlight, app.inFlight].slice(-historyLength),
        queued: [...queued, app.queued].slice(-historyLength),
      });
    }
  }

  /** @param names all apps: there is no document for an app without requests */
  takeUsage(documents: readonly UsageDocument[], names: readonly string[], atMs: number): void {
    const byName = new Map(documents.map((usage) => [nameOf(usage), usage]));
    const known = new Set(names);
    for (const name of this.#readings.keys()) if (!known.has(name)) this.#readings.delete(name);
    for (const name of names) {
      const { requests, errors, ttfbMsP95 } = byName.get(name) ?? unused;
      const before = this.#readings.get(name) ?? [];
      // Sums that fell began anew: a new hour, or a state from a backup.
      const isAnew = (before.at(-1)?.requests ?? 0) > requests;
      const kept = isAnew ? [] : before.filter((reading) => atMs - reading.atMs <= rateSpanMs);
      this.#readings.set(name, [...kept, { atMs, requests, errors, ttfbMsP95 }]);
    }
  }
}

function ratesOf(readings: readonly UsageReading[]): Omit<AppFigures, "inFlight" | "queued"> {
  const first = readings[0];
  const last = readings.at(-1);
  const seconds = first && last ? (last.atMs - first.atMs) / 1000 : 0;
  const ttfbMsP95 = last?.ttfbMsP95;
  if (first === undefined || last === undefined || seconds <= 0) {
    return { requestsPerSecond: undefined, errorShare: undefined, ttfbMsP95 };
  }
  const requests = last.requests - first.requests;
  const errors = last.errors - first.errors;
  return {
    requestsPerSecond: requests / seconds,
    errorShare: requests === 0 ? undefined : errors / requests,
    ttfbMsP95,
  };
}
