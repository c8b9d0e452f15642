// The pane beside the chat: how fast the model answers, how full its window is, what the machine does.

import { formatMilliseconds } from "../../base/time-format.ts";
import type { LoadedModelFigures, ServerSample } from "../../client/metrics.ts";
import type { StyledRow } from "../frame/screen.ts";
import { bar, slotSquares } from "../panes/bar.ts";
import { sparkline } from "../panes/sparkline.ts";
import { fitRow, foreignSpan, textRow } from "../panes/styled-row.ts";
import { binarySize, rate, span, tokenCount } from "../text/quantities.ts";
import type { Glyphs } from "../theme.ts";
import { machineRows, quantityRow } from "./machine-rows.ts";

/** What the chat knows of its own answers. */
export interface ConversationFigures {
  readonly model: string;
  /** The name under which it was loaded, where that is another one. */
  readonly loadedAs?: string | undefined;
  /** Of the running answer, or the last one; undefined where nothing is known, as below. */
  readonly ttftMs: number | undefined;
  /** In the middle of this session's answers. */
  readonly ttftMedianMs: number | undefined;
  /** Prompt tokens read in a second. */
  readonly promptTokensPerSecond: number | undefined;
  readonly tokensPerSecond: number | undefined;
  /** Tokens of the conversation, and of the window that it must fit in. */
  readonly contextTokens: number | undefined;
  readonly contextLength: number | undefined;
}

export interface EnginePaneFacts {
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
export function enginePaneRows(facts: EnginePaneFacts, width: number, glyphs: Glyphs): StyledRow[] {
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
export function engineLine(facts: EnginePaneFacts, width: number, glyphs: Glyphs): StyledRow {
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
