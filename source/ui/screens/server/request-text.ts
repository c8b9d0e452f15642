// The text of a request: caller, phases, parameters, prompt and answer.

import { formatMilliseconds } from "../../../base/formats.ts";
import { normaliseLineBreaks } from "../../../base/harmless-text.ts";
import { timeOfDay } from "../../../base/quantities.ts";
import type { Loadable } from "../../../client/live/loadable.ts";
import {
  cacheSource,
  cancellationText,
  draftOffText,
  type RequestTexts,
  readingText,
} from "../../../client/requests.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import {
  cutText,
  fitRuns,
  harmlessRun,
  runsText,
  runsWidth,
  type TextRow,
  wrapText,
} from "../../text/text-run.ts";
import { glyphs, type Tone } from "../../theme.ts";
import { statusRun } from "./request-columns.ts";

export interface TextOptions {
  readonly width: number;
  /** Wraps long lines instead of cutting them. */
  readonly isWrapped: boolean;
}

const tabText = "    ";

/** Returns caller, phases, warnings, parameters and error. */
export function summaryLines(view: RequestRecord, options: TextOptions): TextRow[] {
  const { width } = options;
  const { client, keyId, stream, slot, finishReason, traceId, warnings = [], error } = view;
  const caller = [
    keyId === undefined ? "no key" : `key ${keyId}`,
    `from ${client.address}`,
    client.agent,
    stream ? "streamed" : "not streamed",
    slot !== undefined && `slot ${slot}`,
    finishReason !== undefined && `finish: ${finishReason}`,
    traceId !== undefined && `trace ${traceId}`,
  ];
  const heading: TextRow = [
    { text: `${timeOfDay(view.startedAt)}  `, tone: "dim" },
    statusRun(view),
    harmlessRun(`  ${view.method} ${view.path}  ${view.model ?? ""}`, "title"),
  ];
  const parameters = parametersText(view);
  const cancelled = cancellationText(view);
  return [
    runsWidth(heading) > width ? fitRuns(heading, width) : heading,
    ...linesOf(caller.filter(Boolean).join("  "), "plain", options),
    ...linesOf(phasesText(view), "plain", options),
    ...(cancelled === undefined ? [] : linesOf(cancelled, "warning", options)),
    ...warnings.flatMap((sentence) => linesOf(`${glyphs.warning} ${sentence}`, "warning", options)),
    ...(parameters === "" ? [] : linesOf(parameters, "dim", options)),
    ...(error === undefined ? [] : linesOf(`${error.code}: ${error.message}`, "error", options)),
  ];
}

/** `queued 20 ms → prompt 800 ms (2014 tokens, 1210 cached: slot) → answer 1.28 s (71 tokens)`. */
export function phasesText(view: RequestRecord): string {
  const { loadMs = 0, queueMs, promptMs, completionMs, firstTokenMs, totalMs } = view;
  const { promptTokens, cachedTokens = 0, completionTokens, drafted = 0, accepted = 0 } = view;
  const source = cacheSource(view);
  const from = source === undefined ? "" : `: ${source}`;
  const cached = cachedTokens > 0 || from !== "" ? `, ${cachedTokens} cached${from}` : "";
  const prompt = promptTokens === undefined ? "" : ` (${promptTokens} tokens${cached})`;
  const drafts = [drafted > 0 && `${accepted} of ${drafted} drafted accepted`, draftOffText(view)];
  const details = [`${completionTokens} tokens`, ...drafts].filter(Boolean).join(", ");
  const answer = completionTokens === undefined ? "" : ` (${details})`;
  const phases = [
    loadMs >= 1 && `loaded in ${formatMilliseconds(loadMs)}`,
    queueMs !== undefined && `queued ${formatMilliseconds(queueMs)}`,
    readingText(view) ??
      (promptMs !== undefined && `prompt ${formatMilliseconds(promptMs)}${prompt}`),
    completionMs !== undefined && `answer ${formatMilliseconds(completionMs)}${answer}`,
  ];
  const ends = [
    firstTokenMs !== undefined && `first token after ${formatMilliseconds(firstTokenMs)}`,
    totalMs !== undefined && `${formatMilliseconds(totalMs)} total`,
  ];
  const parts = [phases.filter(Boolean).join(` ${glyphs.arrow} `), ends.filter(Boolean).join(", ")];
  return parts.filter(Boolean).join("; ") || "no timings yet";
}

/** Returns the whole request, which may be longer than the window. */
export function requestLines(
  view: RequestRecord,
  texts: Loadable<RequestTexts>,
  options: TextOptions,
): TextRow[] {
  const wrapping = { ...options, isWrapped: true };
  const section = (title: string, text: string): TextRow[] => [
    [],
    [{ text: title, tone: "title" }],
    ...normaliseLineBreaks(text)
      .split("\n")
      .flatMap((line) => linesOf(line, "plain", options)),
  ];
  const lines = summaryLines(view, wrapping);
  switch (texts.kind) {
    case "loading": {
      const text = `Loading prompt and answer${glyphs.ellipsis}`;
      return [...lines, [], [{ text, tone: "dim" }]];
    }
    case "failed":
      return [...lines, [], ...linesOf(texts.sentence, "error", wrapping)];
    case "loaded": {
      const { prompt, answer } = texts.value;
      if (prompt === undefined && answer === undefined) {
        const sentence =
          "Prompt and answer were not recorded. Press P to record new requests, or set log_prompts = true.";
        return [...lines, [], ...linesOf(sentence, "dim", wrapping)];
      }
      return [
        ...lines,
        ...(prompt === undefined ? [] : section("Prompt, as sent to the model", prompt)),
        ...(answer === undefined ? [] : section("Answer", answer)),
      ];
    }
  }
}

/** Returns the whole request for a pager or a screen reader. */
export function requestText(view: RequestRecord, texts: Loadable<RequestTexts>): string {
  const options = { width: Number.MAX_SAFE_INTEGER, isWrapped: true };
  return requestLines(view, texts, options)
    .map((line) => runsText(line).trimEnd())
    .join("\n");
}

function parametersText({ parameters }: RequestRecord): string {
  return Object.entries(parameters ?? {})
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("  ");
}

/** Returns an untrusted line in one tone, wrapped or cut. */
function linesOf(line: string, tone: Tone, { width, isWrapped }: TextOptions): TextRow[] {
  if (isWrapped) return wrapText(line, width).map(({ text }) => [{ text, tone }]);
  return [[{ text: cutText(line.replaceAll("\t", tabText), width), tone }]];
}
