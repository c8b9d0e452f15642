// The figures above the request table: throughput, scheduler, memory.

import { formatMilliseconds } from "../../../base/time-format.ts";
import type { LoadedModelFigures, ServerSample } from "../../../client/metrics.ts";
import { slotSquares } from "../../components/gauge.tsx";
import { type Figure, machineFigures } from "../../live/machine-figures.ts";
import type { RequestFigures } from "../../live/request-figures.ts";
import { binarySize, percentage, rate, span, tokenCount } from "../../text/quantities.ts";
import type { Glyphs } from "../../theme.ts";

export interface ServerFacts {
  /** Oldest first. */
  readonly samples: readonly ServerSample[];
  readonly requests: RequestFigures;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const squaresMaximum = 12;
/** Models that the scheduler's pane has room for. */
const modelsMaximum = 2;

/** The most important figures in one line, where there is no room for panes. */
export function serverLineText({ samples, requests }: ServerFacts, glyphs: Glyphs): string {
  const sample = samples.at(-1);
  if (sample === undefined) return "";
  const parts = [
    `${rate(sample.tokensPerSecond)} tok/s`,
    requests.ttftMedianMs === undefined ? "" : `TTFT ${formatMilliseconds(requests.ttftMedianMs)}`,
    `${sample.running} running`,
    sample.waiting === 0 ? "" : `${sample.waiting} waiting`,
    `CPU ${percentage(sample.cpuLoad)}`,
    `RAM ${binarySize(sample.memoryUsedBytes)}`,
  ];
  return parts.filter((part) => part !== "").join(` ${glyphs.separator} `);
}

export function throughputFigures({ samples, requests }: ServerFacts): Figure[] {
  const rates = samples.map(({ tokensPerSecond }) => tokensPerSecond);
  const { requestsPerSecond, errorsPerSecond, errorShare, ttftMedianMs, ttft95Ms } = requests;
  const trend = (label: string, value: string, values: readonly number[]): Figure => ({
    kind: "trend",
    label,
    value: value.padStart(6),
    values,
  });
  const perSecond = (requestsPerSecond.reduce((sum, count) => sum + count, 0) / 60).toFixed(1);
  const ttft =
    ttftMedianMs === undefined || ttft95Ms === undefined
      ? "none in the last minute"
      : `p50 ${formatMilliseconds(ttftMedianMs)}  p95 ${formatMilliseconds(ttft95Ms)}`;
  const { promptTokensPerSecond } = requests;
  return [
    trend("tok/s", rate(rates.at(-1) ?? 0), rates),
    trend("req/s", perSecond, requestsPerSecond),
    trend("errors", errorShare === undefined ? "-" : percentage(errorShare), errorsPerSecond),
    text("TTFT", ttft),
    ...(promptTokensPerSecond === undefined
      ? []
      : [text("prefill", `${rate(promptTokensPerSecond)} tok/s`)]),
  ];
}

export function schedulerFigures(
  { samples, requests, now }: ServerFacts,
  glyphs: Glyphs,
): Figure[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const { models, running, waiting, longestWaitMs } = sample;
  const slots = models.reduce((sum, model) => sum + model.slots, 0);
  const squares = slotSquares(running, slots, squaresMaximum, glyphs);
  const { cachedShare } = requests;
  return [
    text("Slots", slots === 0 ? "no model is loaded" : `${squares} ${running} of ${slots}`),
    text(
      "Queue",
      waiting === 0 ? "empty" : `${waiting}, longest ${(longestWaitMs / 1000).toFixed(1)} s`,
    ),
    text("Prefix", cachedShare === undefined ? "-" : `${percentage(cachedShare)} from memory`),
    ...models.slice(0, modelsMaximum).map(
      (model): Figure => ({
        kind: "state",
        label: model.name,
        value: modelState(model, now, glyphs),
        tone: "good",
      }),
    ),
  ];
}

function modelState(model: LoadedModelFigures, now: number, glyphs: Glyphs): string {
  if (model.state === "loading") return `${glyphs.working} ${percentage(model.loadFraction)}`;
  if (model.state === "busy") return `${glyphs.working} busy`;
  if (model.expiresAt === undefined) return `${glyphs.ready} stays`;
  return `${glyphs.ready} ${span(model.expiresAt - now)}`;
}

export function memoryFigures({ samples }: ServerFacts, glyphs: Glyphs): Figure[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const { models, contextTokens, processBytes } = sample;
  const window = models.reduce((sum, { slots, contextLength }) => sum + slots * contextLength, 0);
  const cacheBytes = models.reduce((sum, model) => sum + model.cacheBytes, 0);
  const share = contextTokens / window;
  const value = `${percentage(share)} of ${tokenCount(window)}`;
  const cache: Figure[] = [
    { kind: "gauge", label: "KV", value, share },
    text("KV size", `${binarySize(cacheBytes)} ${models[0]?.cacheType ?? ""}`),
  ];
  return [
    ...machineFigures(samples, glyphs),
    ...(window > 0 ? cache : []),
    text("Server", `${binarySize(processBytes)} without models`),
  ];
}

function text(label: string, value: string): Figure {
  return { kind: "text", label, value };
}
