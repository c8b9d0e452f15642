// The status line: what the server is doing now, or the figures of the last answer.

import { formatMilliseconds } from "../../base/time-format.ts";
import type { Activity, ActivityPhase, AnswerFigures, ChatState } from "../state/chat-state.ts";
import { textWidth } from "../text/graphemes.ts";
import type { Glyphs, Row } from "../theme.ts";

/** From this share of the window on, the status says that room is getting short. */
const crowdedShare = 0.8;
const fullShare = 0.95;

export interface ModelLine {
  readonly name: string;
  readonly contextLength: number | undefined;
}

/** The status line for a state; in a narrow window it leaves out what matters least. */
export function statusRow(
  state: Pick<ChatState, "activity" | "figures">,
  model: ModelLine,
  glyphs: Glyphs,
  width: number,
): Row {
  if (state.activity !== undefined) {
    return { text: activityText(state.activity, model, glyphs), tone: "mark" };
  }
  return figuresRow(state.figures, model, glyphs, width);
}

/** What the running request is at: `loading tiny 62 %`, `waiting, 2 ahead`, `61.2 tok/s`. */
export function activityText(activity: Activity, model: ModelLine, glyphs: Glyphs): string {
  return `${glyphs.working} ${phaseText(activity.phase, activity.elapsedMs, model, glyphs)}`;
}

function phaseText(
  phase: ActivityPhase,
  elapsedMs: number,
  model: ModelLine,
  glyphs: Glyphs,
): string {
  switch (phase.kind) {
    case "waiting":
      return elapsedMs < 1000
        ? "waiting for the server"
        : `waiting for the server ${(elapsedMs / 1000).toFixed(1)} s`;
    case "queued":
      return phase.ahead > 0 ? `waiting, ${phase.ahead} ahead` : "waiting, next in line";
    case "loading":
      return `loading ${model.name} ${percent(phase.fraction)}`;
    case "prompt": {
      const share = phase.totalTokens > 0 ? phase.completedTokens / phase.totalTokens : 0;
      return `reading ${groupDigits(phase.totalTokens)} tokens ${percent(share)}`;
    }
    case "thinking":
      return `thinking, ${groupDigits(phase.characters)} characters so far`;
    case "answering":
      return join(glyphs, [rateText(phase.tokensPerSecond), ttftText(phase.ttftMs)]);
  }
}

function figuresRow(
  figures: AnswerFigures | undefined,
  model: ModelLine,
  glyphs: Glyphs,
  width: number,
): Row {
  const statistics = figures?.statistics;
  if (statistics === undefined) {
    const parts = [`${glyphs.ready} ready`, ttftText(figures?.ttftMs), windowText(model)];
    return { text: join(glyphs, parts), tone: "dim" };
  }
  const { promptTokens, completionTokens, completionMs } = statistics;
  const rate = completionMs > 0 ? (completionTokens * 1000) / completionMs : undefined;
  const usedTokens = promptTokens + completionTokens;
  const share = model.contextLength ? usedTokens / model.contextLength : 0;
  const contextText =
    model.contextLength === undefined ? undefined : `context ${usedTokens}/${model.contextLength}`;
  const countsText = `${promptTokens}+${completionTokens} tokens`;
  const essential = [contextText, roomText(share, glyphs)];
  const candidates = [
    [rateText(rate), ttftText(figures?.ttftMs), countsText, ...essential],
    [rateText(rate), ttftText(figures?.ttftMs), ...essential],
    [rateText(rate), ...essential],
  ].map((parts) => join(glyphs, parts));
  const text = candidates.find((candidate) => textWidth(candidate) <= width) ?? candidates.at(-1);
  return { text: text ?? "", tone: share >= crowdedShare ? "warning" : "dim" };
}

function roomText(share: number, glyphs: Glyphs): string | undefined {
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

function join(glyphs: Glyphs, parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(` ${glyphs.separator} `);
}
