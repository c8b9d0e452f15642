// Figures beside a conversation: speed of answers, use of the window, load of the server.

import { shownModel } from "../../base/display-text.ts";
import { formatMemory, formatMilliseconds } from "../../base/formats.ts";
import { rate, span, tokenCount } from "../../base/quantities.ts";
import type { LoadedModelFigures, ServerSample } from "../../client/metrics.ts";
import { slotSquares } from "../components/bars.tsx";
import { glyphs } from "../theme.ts";
import type { Figure } from "./machine-figures.ts";

/** Figures of the chat's own answers. */
export interface ConversationFigures {
  readonly model: string;
  /** The name it was loaded under, if different. */
  readonly loadedAs?: string | undefined;
  /** Time of the running answer, or of the last one. Like the next figures, undefined while unknown. */
  readonly ttftMs: number | undefined;
  /** Median of this session's answers. */
  readonly ttftMedianMs: number | undefined;
  /** Prompt tokens per second. */
  readonly promptTokensPerSecond: number | undefined;
  readonly tokensPerSecond: number | undefined;
  /** Tokens of the conversation, and of its context window. */
  readonly contextTokens: number | undefined;
  readonly contextLength: number | undefined;
}

export interface EngineFacts {
  readonly conversation: ConversationFigures;
  /** Oldest first. */
  readonly samples: readonly ServerSample[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

const slotsWidth = 8;

/** Returns the known figures of the conversation's model: others of the server do not count. */
export function engineFigures(facts: EngineFacts): Figure[] {
  return [modelFigure(facts), ...answerFigures(facts), ...loadFigures(facts)];
}

/** Returns them in one line, when there is no space for a pane. */
export function engineLineText({
  conversation,
  samples,
}: Pick<EngineFacts, "conversation" | "samples">): string {
  const sample = samples.at(-1);
  const { tokensPerSecond = 0, waiting = 0 } = modelIn(sample, conversation) ?? {};
  const { ttftMs, contextTokens, contextLength } = conversation;
  return [
    sample === undefined ? undefined : `${rate(tokensPerSecond)} tok/s`,
    ttftMs === undefined ? undefined : `TTFT ${formatMilliseconds(ttftMs)}`,
    contextTokens === undefined || contextLength === undefined
      ? undefined
      : `context ${tokenCount(contextTokens)}/${tokenCount(contextLength)}`,
    waiting === 0 ? undefined : `queue ${waiting}`,
    sample === undefined ? undefined : `CPU ${Math.round(sample.cpuLoad * 100)}%`,
  ]
    .filter((part) => part !== undefined)
    .join(` ${glyphs.separator} `);
}

/** Finds the conversation's model in a sample, if it is loaded. */
function modelIn(
  sample: ServerSample | undefined,
  { model, loadedAs = model }: ConversationFigures,
): LoadedModelFigures | undefined {
  const short = (name: string) => shownModel(name.toLowerCase());
  const wanted = new Set([short(model), short(loadedAs)]);
  return sample?.models.find(({ name, names }) =>
    [name, ...names].some((one) => wanted.has(short(one))),
  );
}

function loadedModel({ conversation, samples }: EngineFacts): LoadedModelFigures | undefined {
  return modelIn(samples.at(-1), conversation);
}

function modelFigure(facts: EngineFacts): Figure {
  const loaded = loadedModel(facts);
  return {
    kind: "state",
    label: facts.conversation.model,
    labelTone: "title",
    value: modelState(loaded, facts.now),
    tone: loaded === undefined ? "dim" : "plain",
  };
}

function modelState(loaded: LoadedModelFigures | undefined, now: number): string {
  if (loaded === undefined) return `${glyphs.idle} not loaded`;
  if (loaded.state === "loading") {
    return `${glyphs.working} loading ${Math.floor(loaded.loadFraction * 100)}%`;
  }
  if (loaded.state === "warming up") return `${glyphs.working} warming up`;
  if (loaded.state === "busy") return `${glyphs.working} busy`;
  const { expiresAt } = loaded;
  return expiresAt === undefined
    ? `${glyphs.ready} loaded`
    : `${glyphs.ready} ${span(expiresAt - now)} left`;
}

function answerFigures({ conversation, samples }: EngineFacts): Figure[] {
  const { ttftMs, ttftMedianMs, promptTokensPerSecond } = conversation;
  const { contextTokens, contextLength } = conversation;
  const values = samples.map((sample) => modelIn(sample, conversation)?.tokensPerSecond ?? 0);
  const figures: Figure[] = [];
  const perSecond = conversation.tokensPerSecond ?? values.at(-1);
  if (perSecond !== undefined) {
    figures.push({ kind: "trend", label: "tok/s", value: rate(perSecond).padStart(6), values });
  }
  if (ttftMs !== undefined) {
    const median = ttftMedianMs === undefined ? "" : ` (p50 ${formatMilliseconds(ttftMedianMs)})`;
    figures.push({ kind: "text", label: "TTFT", value: formatMilliseconds(ttftMs) + median });
  }
  if (promptTokensPerSecond !== undefined) {
    const value = `${rate(promptTokensPerSecond)} tok/s`;
    figures.push({ kind: "text", label: "prefill", value });
  }
  if (contextTokens !== undefined && contextLength !== undefined && contextLength > 0) {
    const value = `${tokenCount(contextTokens)}/${tokenCount(contextLength)}`;
    figures.push({ kind: "gauge", label: "Context", value, share: contextTokens / contextLength });
  }
  return figures;
}

function loadFigures(facts: EngineFacts): Figure[] {
  const loaded = loadedModel(facts);
  const figures: Figure[] = [];
  if (loaded !== undefined && loaded.cacheBytes > 0) {
    const value = `${formatMemory(loaded.cacheBytes)}  ${loaded.cacheType}`;
    figures.push({ kind: "text", label: "KV", value });
  }
  if (loaded !== undefined && loaded.slots > 0) {
    const { running, slots } = loaded;
    const squares = slotSquares(running, slots, slotsWidth);
    const value = `${squares}  ${running} of ${slots} busy`.trim();
    figures.push({ kind: "text", label: "Slots", value });
  }
  if (loaded !== undefined && loaded.waiting > 0) {
    const value = `${loaded.waiting} waiting`;
    figures.push({ kind: "text", label: "Queue", value, tone: "warning" });
  }
  return figures;
}
