// The panes above the request table: throughput, scheduler, memory.

import { formatMilliseconds } from "../../../base/time-format.ts";
import type { ServerSample } from "../../../client/metrics.ts";
import type { StyledRow } from "../../frame/screen.ts";
import { machineRows, quantityRow } from "../../live/machine-rows.ts";
import type { RequestFigures } from "../../live/request-figures.ts";
import { bar, slotSquares } from "../../panes/bar.ts";
import { besides, drawBox, innerWidth } from "../../panes/box.ts";
import { sparkline } from "../../panes/sparkline.ts";
import { fitRow, foreignSpan, textRow } from "../../panes/styled-row.ts";
import { binarySize, percentage, rate, span, tokenCount } from "../../text/quantities.ts";
import type { Glyphs } from "../../theme.ts";

export interface ServerPaneFacts {
  /** Oldest first. */
  readonly samples: readonly ServerSample[];
  readonly figures: RequestFigures;
  /** The figures are old: the server does not answer. */
  readonly isStale: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export const paneHeight = 7;
/** Below this width one line must do. */
export const paneColumnsMinimum = 100;

/** Three boxes side by side, of `paneHeight` rows and exactly the width. */
export function serverPanes(facts: ServerPaneFacts, width: number, glyphs: Glyphs): StyledRow[] {
  const third = Math.floor(width / 3);
  const widths = [third, third, width - 2 * third] as const;
  const makers = [throughputRows, schedulerRows, memoryRows] as const;
  const titles = ["Throughput", "Scheduler", "Memory"] as const;
  const boxes = widths.map((boxWidth, index) => {
    const rows = makers[index]?.(facts, innerWidth(boxWidth), glyphs) ?? [];
    const content = facts.isStale ? rows.map(dimmed) : rows;
    const title = titles[index] ?? "";
    return drawBox(content, { width: boxWidth, height: paneHeight, glyphs, title });
  });
  const [first = [], second = [], last = []] = boxes;
  return besides(besides(first, second, widths[0], ""), last, widths[0] + widths[1], "");
}

/** The same in one line. */
export function serverLine(
  { samples, figures }: ServerPaneFacts,
  width: number,
  glyphs: Glyphs,
): StyledRow {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const parts = [
    `${rate(sample.tokensPerSecond)} tok/s`,
    figures.ttftMedianMs === undefined ? "" : `TTFT ${formatMilliseconds(figures.ttftMedianMs)}`,
    `${sample.running} running`,
    sample.waiting === 0 ? "" : `${sample.waiting} waiting`,
    `CPU ${percentage(sample.cpuLoad)}`,
    `RAM ${binarySize(sample.memoryUsedBytes)}`,
  ];
  const text = parts.filter((part) => part !== "").join(` ${glyphs.separator} `);
  return fitRow(textRow(text, "dim"), width, glyphs.ellipsis);
}

function throughputRows(
  { samples, figures }: ServerPaneFacts,
  width: number,
  glyphs: Glyphs,
): StyledRow[] {
  const rates = samples.map(({ tokensPerSecond }) => tokensPerSecond);
  const { requestsPerSecond, errorsPerSecond, errorShare, ttftMedianMs, ttft95Ms } = figures;
  const line = (label: string, value: string, values: readonly number[]) =>
    quantityRow(label, value.padStart(6), width, (cells) => [
      { text: sparkline(values, cells, glyphs, 1), tone: "good" },
    ]);
  const perSecond = (requestsPerSecond.reduce((sum, count) => sum + count, 0) / 60).toFixed(1);
  const ttft =
    ttftMedianMs === undefined || ttft95Ms === undefined
      ? "none in the last minute"
      : `p50 ${formatMilliseconds(ttftMedianMs)}  p95 ${formatMilliseconds(ttft95Ms)}`;
  return [
    line("tok/s", rate(rates.at(-1) ?? 0), rates),
    line("req/s", perSecond, requestsPerSecond),
    line("errors", errorShare === undefined ? "-" : percentage(errorShare), errorsPerSecond),
    labelled("TTFT", ttft),
    ...(figures.promptTokensPerSecond === undefined
      ? []
      : [labelled("prefill", `${rate(figures.promptTokensPerSecond)} tok/s`)]),
  ];
}

function schedulerRows(
  { samples, figures, now }: ServerPaneFacts,
  width: number,
  glyphs: Glyphs,
): StyledRow[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const slots = sample.models.reduce((sum, model) => sum + model.slots, 0);
  const squares = slotSquares(sample.running, slots, 12, glyphs);
  const queue =
    sample.waiting === 0
      ? "empty"
      : `${sample.waiting}, longest ${(sample.longestWaitMs / 1000).toFixed(1)} s`;
  const models = sample.models.slice(0, 2).map((model): StyledRow => {
    const state =
      model.state === "loading"
        ? `${glyphs.working} ${percentage(model.loadFraction)}`
        : model.state === "busy"
          ? `${glyphs.working} busy`
          : model.expiresAt === undefined
            ? `${glyphs.ready} stays`
            : `${glyphs.ready} ${span(model.expiresAt - now)}`;
    const name = foreignSpan(model.name, "plain", glyphs.isAscii);
    const room = Math.max(1, width - state.length - 1);
    return [...fitRow([name], room, glyphs.ellipsis), { text: ` ${state}`, tone: "good" }];
  });
  return [
    labelled(
      "Slots",
      slots === 0 ? "no model is loaded" : `${squares} ${sample.running} of ${slots}`,
    ),
    labelled("Queue", queue),
    labelled(
      "Prefix",
      figures.cachedShare === undefined ? "-" : `${percentage(figures.cachedShare)} from memory`,
    ),
    ...models,
  ];
}

function memoryRows({ samples }: ServerPaneFacts, width: number, glyphs: Glyphs): StyledRow[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const window = sample.models.reduce(
    (sum, { slots, contextLength }) => sum + slots * contextLength,
    0,
  );
  const cacheBytes = sample.models.reduce((sum, model) => sum + model.cacheBytes, 0);
  const machine = machineRows(samples, width, glyphs);
  const rows: StyledRow[] = [...machine];
  if (window > 0) {
    const share = sample.contextTokens / window;
    rows.push(
      quantityRow("KV", `${percentage(share)} of ${tokenCount(window)}`, width, (cells) =>
        bar(share, cells, glyphs),
      ),
    );
    rows.push(
      labelled("KV size", `${binarySize(cacheBytes)} ${sample.models[0]?.cacheType ?? ""}`),
    );
  }
  rows.push(labelled("Server", `${binarySize(sample.processBytes)} without models`));
  return rows;
}

function labelled(label: string, value: string): StyledRow {
  return [
    { text: label.padEnd(8), tone: "dim" },
    { text: value, tone: "plain" },
  ];
}

function dimmed(row: StyledRow): StyledRow {
  return row.map((part) => ({ ...part, tone: "dim" }));
}
