// Texts of the status line: what the server is doing now, or the figures of the last answer.

import { formatMilliseconds } from "../../../base/formats.ts";
import { textWidth } from "../../../base/graphemes.ts";
import { callTitle } from "../../../chat/conversation/call-text.ts";
import type { Activity, ActivityPhase } from "../../../chat/conversation/running-answer.ts";
import type { OpenCall } from "../../../chat/conversation/transcript-entry.ts";
import type { AnswerStatistics, ModelFacts } from "../../../client/chat-events.ts";
import type { TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import type { AnswerFigures, ChatState } from "./chat-state.ts";

/** From this share on, the status warns that the window is nearly full. */
const crowdedShare = 0.8;
const fullShare = 0.95;
/** Shown of a load until the model warms up. */
const maxLoaded = 0.99;

export type ModelLine = Pick<ModelFacts, "name" | "contextLength">;

export interface StatusState extends Pick<ChatState, "activity" | "figures" | "contextTokens"> {
  /** Defaults to false. */
  readonly isServerDown?: boolean;
}

/** Returns the progress of loading or reading, otherwise the fill of the window, if known. */
export function statusProgress(
  { activity, contextTokens }: StatusState,
  model: ModelLine,
): number | undefined {
  const phase = activity?.phase;
  if (phase?.type === "loading" || phase?.type === "checking") return phase.fraction;
  if (phase?.type === "prompt" && phase.totalTokens > 0) {
    return phase.completedTokens / phase.totalTokens;
  }
  if (phase !== undefined || contextTokens === undefined || !model.contextLength) return undefined;
  return contextTokens / model.contextLength;
}

/** Returns the status line; a narrow window drops the least important parts. */
export function statusRun(state: StatusState, model: ModelLine, width: number): TextRun {
  if (state.activity !== undefined) {
    return { text: activityText(state.activity, model), tone: "mark" };
  }
  return figuresRun(state, model, width);
}

/** Shown in place of an answer without text. */
export function progressText(activity: Activity, model: ModelLine): string {
  return `${activityText(activity, model)} ${glyphs.separator} Esc cancels`;
}

/** The state of the running request: `loading tiny 62 %`, `waiting, 2 ahead`, `61.2 tok/s`. */
export function activityText(activity: Activity, model: ModelLine): string {
  return `${glyphs.working} ${phaseText(activity.phase, activity.elapsedMs, model)}`;
}

function phaseText(phase: ActivityPhase, elapsedMs: number, model: ModelLine): string {
  switch (phase.type) {
    case "waiting":
      return elapsedMs < 1000
        ? "waiting for the server"
        : `waiting for the server ${(elapsedMs / 1000).toFixed(1)} s`;
    case "starting":
      return "starting the server";
    case "queued":
      return phase.ahead > 0 ? `waiting, ${phase.ahead} ahead` : "waiting, next in line";
    case "checking":
      return `checking ${phase.file} ${percent(phase.fraction)}`;
    case "loading":
      return `loading ${model.name} ${percent(Math.min(phase.fraction, maxLoaded))}`;
    case "warming-up":
      return `warming up ${model.name}`;
    case "prompt": {
      const share = phase.totalTokens > 0 ? phase.completedTokens / phase.totalTokens : 0;
      return `reading ${groupDigits(phase.totalTokens)} tokens ${percent(share)}`;
    }
    case "thinking":
      return `thinking, ${groupDigits(phase.characters)} characters so far`;
    case "calling":
      return callingText(phase.call);
    case "answering":
      return join([rateText(phase.tokensPerSecond), ttftText(phase.ttftMs)]);
  }
}

function callingText(call: OpenCall): string {
  if (call.state === "asking") return `${callTitle(call)} waits for your decision`;
  const seconds = Math.floor(call.elapsedMs / 1000);
  return `running ${callTitle(call)}${seconds > 0 ? ` ${seconds} s` : ""}`;
}

function figuresRun(
  { figures, contextTokens, isServerDown }: StatusState,
  model: ModelLine,
  width: number,
): TextRun {
  const share = model.contextLength && contextTokens ? contextTokens / model.contextLength : 0;
  const contextText =
    model.contextLength === undefined || contextTokens === undefined
      ? undefined
      : `context ${contextTokens}/${model.contextLength}`;
  const essential = [contextText, roomText(share)];
  const tone = share >= crowdedShare ? "warning" : "dim";
  const statistics = figures?.statistics;
  if (figures === undefined || statistics === undefined) {
    const windowKnown = contextText === undefined ? windowText(model) : undefined;
    const server = isServerDown ? `${glyphs.failed} server down` : `${glyphs.ready} ready`;
    const parts = [server, ttftText(figures?.ttftMs), windowKnown, ...essential];
    return { text: join(parts), tone };
  }
  const candidates = figuresTexts(figures, statistics).map((parts) =>
    join([...parts, ...essential]),
  );
  const text = candidates.find((candidate) => textWidth(candidate) <= width) ?? candidates.at(-1);
  return { text: text ?? "", tone };
}

/** Variants from the longest to the shortest. */
function figuresTexts(
  { ttftMs }: AnswerFigures,
  { promptTokens, completionTokens, completionMs }: AnswerStatistics,
): (string | undefined)[][] {
  const rate = completionMs > 0 ? (completionTokens * 1000) / completionMs : undefined;
  return [
    [rateText(rate), ttftText(ttftMs), `${promptTokens}+${completionTokens} tokens`],
    [rateText(rate), ttftText(ttftMs)],
    [rateText(rate)],
  ];
}

function roomText(share: number): string | undefined {
  if (share >= fullShare) return `${glyphs.warning} the next message may not fit`;
  return share >= crowdedShare ? `${glyphs.warning} ${percent(share)} full` : undefined;
}

function windowText(model: ModelLine): string | undefined {
  return model.contextLength === undefined ? undefined : `context window ${model.contextLength}`;
}

function rateText(tokensPerSecond: number | undefined): string | undefined {
  return tokensPerSecond === undefined ? undefined : `${tokensPerSecond.toFixed(1)} tok/s`;
}

function ttftText(ttftMs: number | undefined): string | undefined {
  return ttftMs === undefined ? undefined : `TTFT ${formatMilliseconds(ttftMs)}`;
}

function percent(fraction: number): string {
  return `${Math.round(Math.min(1, Math.max(0, fraction)) * 100)} %`;
}

function groupDigits(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, " ");
}

function join(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(` ${glyphs.separator} `);
}
