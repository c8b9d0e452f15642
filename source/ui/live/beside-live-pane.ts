// A screen with the live figures of the engine and the machine beside it.

import { formatMilliseconds } from "../../base/time-format.ts";
import type { LoadedModelFigures, ServerSample } from "../../client/metrics.ts";
import type { BodySize, PaintedScreen, ScreenPicture, Span, StyledRow } from "../frame/screen.ts";
import { bar, slotSquares } from "../panes/bar.ts";
import { besides, drawBox, innerHeight, innerWidth } from "../panes/box.ts";
import { sparkline } from "../panes/sparkline.ts";
import { fitRow, foreignSpan, textRow } from "../panes/styled-row.ts";
import { binarySize, percentage, rate, span, tokenCount, usedOfTotal } from "../text/quantities.ts";
import type { Glyphs } from "../theme.ts";
import type { ConversationFigures } from "./engine-figures.ts";
import type { ServerWatch } from "./server-watch.ts";

/** From this width on there is room for a column. */
const columnsMinimum = 100;
const paneColumns = 32;
/** From this width on there is room for a line of figures above the screen. */
const lineColumnsMinimum = 80;
const lineRowsMinimum = 20;

export interface LivePaneOptions {
  readonly watch: ServerWatch;
  /** What the screen knows of its own answers. */
  readonly figures: () => ConversationFigures;
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The same screen, in less room. */
export function besideLivePane(screen: PaintedScreen, options: LivePaneOptions): PaintedScreen {
  const { watch, glyphs } = options;
  const facts = () => ({
    conversation: options.figures(),
    samples: watch.samples,
    staleMs: watch.staleMs,
    now: options.now(),
  });
  return {
    id: screen.id,
    title: screen.title,
    commands: () => screen.commands(),
    picture: (size) => {
      if (size.columns >= columnsMinimum) return withColumn(screen, size, glyphs, facts());
      if (size.columns < lineColumnsMinimum || size.rows < lineRowsMinimum) {
        return screen.picture(size);
      }
      const picture = screen.picture({ ...size, rows: size.rows - 1 });
      const margin = { text: " ", tone: "plain" } as const;
      const line = [margin, ...engineLine(facts(), size.columns - 2, glyphs)];
      return withRowAbove(line, picture);
    },
    status: () => screen.status(),
    isTyping: () => screen.isTyping(),
    type: (text) => screen.type(text),
    paste: (text) => screen.paste(text),
    readerLines: () => screen.readerLines(),
    readerFooter: () => screen.readerFooter?.() ?? [],
    accept: (argument) => screen.accept?.(argument),
    subscribe: (listener) => {
      const ends = [screen.subscribe(listener), watch.subscribe(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    activate: () => {
      watch.start();
      screen.activate();
    },
    deactivate: () => screen.deactivate(),
    close: () => screen.close(),
  };
}

function withRowAbove(row: StyledRow, { rows, cursor }: ScreenPicture): ScreenPicture {
  return {
    rows: [row, ...rows],
    ...(cursor !== undefined && { cursor: { x: cursor.x, y: cursor.y + 1 } }),
  };
}

function withColumn(
  screen: PaintedScreen,
  size: BodySize,
  glyphs: Glyphs,
  facts: Parameters<typeof enginePaneRows>[0],
): ScreenPicture {
  const width = size.columns - paneColumns;
  const { rows, cursor } = screen.picture({ columns: width, rows: size.rows });
  const content = enginePaneRows(facts, innerWidth(paneColumns), glyphs);
  const height = Math.min(size.rows, content.length + 2);
  const box = { width: paneColumns, height, glyphs, title: "Engine" };
  const left = size.rows - height;
  const below =
    innerHeight(left) > 0 ? (screen.aside?.({ columns: paneColumns, rows: left }) ?? []) : [];
  const column = [...drawBox(content, box), ...below];
  const beside = besides(rows, column, width, glyphs.ellipsis).slice(0, size.rows);
  return { rows: beside, ...(cursor !== undefined && { cursor }) };
}

interface EnginePaneFacts {
  readonly conversation: ConversationFigures;
  /** Oldest first. */
  readonly samples: readonly ServerSample[];
  /** Milliseconds since the newest sample, where the server has gone. */
  readonly staleMs: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const slotsWidth = 8;

/** Only rows that have something to tell. */
function enginePaneRows(facts: EnginePaneFacts, width: number, glyphs: Glyphs): StyledRow[] {
  const { samples, staleMs } = facts;
  const rows = [
    ...modelRows(facts, width, glyphs),
    ...answerRows(facts, width, glyphs),
    ...loadRows(facts, width, glyphs),
    ...machineRows(samples, width, glyphs),
  ];
  if (staleMs === undefined) return rows;
  const dim = rows.map((row) => row.map((part) => ({ ...part, tone: "dim" as const })));
  const text = `${glyphs.failed} server gone, ${span(staleMs)} old`;
  return [textRow(text, "error"), ...dim];
}

/** The same in one line, where there is no room for a pane. */
function engineLine(facts: EnginePaneFacts, width: number, glyphs: Glyphs): StyledRow {
  const sample = facts.samples.at(-1);
  const { ttftMs, contextTokens, contextLength } = facts.conversation;
  const parts = [
    sample === undefined ? undefined : `${rate(sample.tokensPerSecond)} tok/s`,
    ttftMs === undefined ? undefined : `TTFT ${formatMilliseconds(ttftMs)}`,
    contextTokens === undefined || contextLength === undefined
      ? undefined
      : `context ${tokenCount(contextTokens)}/${tokenCount(contextLength)}`,
    sample === undefined || sample.waiting === 0 ? undefined : `queue ${sample.waiting}`,
    sample === undefined ? undefined : `CPU ${Math.round(sample.cpuLoad * 100)}%`,
  ].filter((part) => part !== undefined);
  return fitRow(textRow(parts.join(` ${glyphs.separator} `), "dim"), width, glyphs.ellipsis);
}

function loadedModel({ conversation, samples }: EnginePaneFacts): LoadedModelFigures | undefined {
  const short = (name: string) => name.toLowerCase().replace(/:latest$/, "");
  const { model, loadedAs = model } = conversation;
  const wanted = new Set([short(model), short(loadedAs)]);
  const models = samples.at(-1)?.models ?? [];
  return models.find(({ name, names }) => [name, ...names].some((one) => wanted.has(short(one))));
}

function modelRows(facts: EnginePaneFacts, width: number, glyphs: Glyphs): StyledRow[] {
  const loaded = loadedModel(facts);
  const state = modelState(loaded, facts.now, glyphs);
  const room = Math.max(1, width - state.length - 1);
  const name = foreignSpan(facts.conversation.model, "title", glyphs.isAscii);
  return [
    [
      ...fitRow([name], room, glyphs.ellipsis),
      { text: ` ${state}`, tone: loaded === undefined ? "dim" : "good" },
    ],
  ];
}

function modelState(loaded: LoadedModelFigures | undefined, now: number, glyphs: Glyphs): string {
  if (loaded === undefined) return `${glyphs.idle} not loaded`;
  if (loaded.state === "loading") {
    return `${glyphs.working} loading ${Math.round(loaded.loadFraction * 100)}%`;
  }
  if (loaded.state === "busy") return `${glyphs.working} busy`;
  const { expiresAt } = loaded;
  return expiresAt === undefined
    ? `${glyphs.ready} loaded`
    : `${glyphs.ready} ${span(expiresAt - now)}`;
}

function answerRows(
  { conversation, samples }: EnginePaneFacts,
  width: number,
  glyphs: Glyphs,
): StyledRow[] {
  const { ttftMs, ttftMedianMs, promptTokensPerSecond } = conversation;
  const rates = samples.map(({ tokensPerSecond }) => tokensPerSecond);
  const rows: StyledRow[] = [];
  const shown = conversation.tokensPerSecond ?? rates.at(-1);
  if (shown !== undefined) {
    rows.push(
      quantityRow("tok/s", rate(shown).padStart(6), width, (cells) => [
        { text: sparkline(rates, cells, glyphs, 1), tone: "good" },
      ]),
    );
  }
  if (ttftMs !== undefined) {
    const median = ttftMedianMs === undefined ? "" : ` (p50 ${formatMilliseconds(ttftMedianMs)})`;
    rows.push(labelled("TTFT", `${formatMilliseconds(ttftMs)}${median}`));
  }
  if (promptTokensPerSecond !== undefined) {
    rows.push(labelled("prefill", `${rate(promptTokensPerSecond)} tok/s`));
  }
  const { contextTokens, contextLength } = conversation;
  if (contextTokens !== undefined && contextLength !== undefined && contextLength > 0) {
    const counts = `${tokenCount(contextTokens)}/${tokenCount(contextLength)}`;
    rows.push(
      quantityRow("Context", counts, width, (cells) =>
        bar(contextTokens / contextLength, cells, glyphs),
      ),
    );
  }
  return rows;
}

function loadRows(facts: EnginePaneFacts, width: number, glyphs: Glyphs): StyledRow[] {
  const loaded = loadedModel(facts);
  const sample = facts.samples.at(-1);
  const rows: StyledRow[] = [];
  if (loaded !== undefined && loaded.cacheBytes > 0) {
    rows.push(labelled("KV", `${binarySize(loaded.cacheBytes)}  ${loaded.cacheType}`));
  }
  if (loaded !== undefined && loaded.slots > 0) {
    const { running, slots } = loaded;
    const squares = slotSquares(running, slots, Math.min(slotsWidth, width), glyphs);
    rows.push(labelled("Slots", `${squares}  ${running} of ${slots} busy`.trim()));
  }
  if (sample !== undefined && sample.waiting > 0) {
    const wait = `${sample.waiting} waiting (${(sample.longestWaitMs / 1000).toFixed(1)} s)`;
    rows.push([...labelled("Queue", ""), { text: wait, tone: "warning" }]);
  }
  return rows;
}

function labelled(label: string, value: string): StyledRow {
  return [
    { text: label.padEnd(8), tone: "dim" },
    { text: value, tone: "plain" },
  ];
}

const labelCells = 8;
/** Most cards that have rows of their own. */
const gpusMaximum = 2;

/**
 * A label, what fills the middle, a value at the right; the whole in `width` cells.
 * @param middle made for the cells that are left
 */
function quantityRow(
  label: string,
  value: string,
  width: number,
  middle: (cells: number) => readonly Span[],
): StyledRow {
  const room = Math.max(0, width - labelCells - value.length - 1);
  return [
    { text: label.padEnd(labelCells).slice(0, labelCells), tone: "dim" },
    ...middle(room),
    { text: " ", tone: "plain" },
    { text: value, tone: "value" },
  ];
}

/** @param samples oldest first; none makes no rows */
function machineRows(samples: readonly ServerSample[], width: number, glyphs: Glyphs): StyledRow[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const gpuRows = sample.gpus
    .slice(0, gpusMaximum)
    .flatMap((_, index) => rowsOfGpu(samples, index, width, glyphs));
  const more = sample.gpus.length - gpusMaximum;
  if (more > 0) gpuRows.push([{ text: `and ${more} more`, tone: "dim" }]);
  return [
    ...gpuRows,
    ...(gpuRows.length > 0 ? [] : [cpuRow(samples, width, glyphs)]),
    memoryRow("RAM", sample.memoryUsedBytes, sample.memoryTotalBytes, width, glyphs),
  ];
}

function cpuRow(samples: readonly ServerSample[], width: number, glyphs: Glyphs): StyledRow {
  const loads = samples.map(({ cpuLoad }) => cpuLoad);
  const value = percentage(loads.at(-1) ?? 0).padStart(4);
  const heat = heatText(samples.at(-1)?.cpuCelsius, glyphs);
  return quantityRow("CPU", value + heat, width, (cells) => [
    { text: sparkline(loads, cells, glyphs, 1), tone: "good" },
  ]);
}

function memoryRow(
  label: string,
  usedBytes: number,
  totalBytes: number,
  width: number,
  glyphs: Glyphs,
): StyledRow {
  const share = totalBytes > 0 ? usedBytes / totalBytes : 0;
  return quantityRow(label, usedOfTotal(usedBytes, totalBytes), width, (cells) =>
    bar(share, cells, glyphs),
  );
}

function rowsOfGpu(
  samples: readonly ServerSample[],
  index: number,
  width: number,
  glyphs: Glyphs,
): StyledRow[] {
  const gpu = samples.at(-1)?.gpus[index];
  if (gpu === undefined) return [];
  const { load, temperatureCelsius, memoryUsedBytes, memoryTotalBytes } = gpu;
  const rows: StyledRow[] = [];
  if (load !== undefined) {
    const heat = heatText(temperatureCelsius, glyphs);
    const loads = samples.map(({ gpus }) => gpus[index]?.load ?? 0);
    rows.push(
      quantityRow(`GPU${index}`, `${percentage(load).padStart(4)}${heat}`, width, (cells) => [
        { text: sparkline(loads, cells, glyphs, 1), tone: "good" },
      ]),
    );
  }
  if (memoryUsedBytes !== undefined && memoryTotalBytes !== undefined) {
    rows.push(memoryRow("VRAM", memoryUsedBytes, memoryTotalBytes, width, glyphs));
  }
  return rows;
}

function heatText(celsius: number | undefined, { isAscii }: Glyphs): string {
  return celsius === undefined ? "" : `  ${Math.round(celsius)} ${isAscii ? "C" : "°C"}`;
}
