// The columns of the request table.

import { shownModel } from "../../../base/display-text.ts";
import { formatMilliseconds } from "../../../base/formats.ts";
import { rate, roughSpan, span, timeOfDay } from "../../../base/quantities.ts";
import { cancellationText, readingProgress } from "../../../client/requests.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import { type Column, figureColumn } from "../../components/table.tsx";
import { isFailure } from "../../live/request-figures.ts";
import type { TextRun } from "../../text/text-run.ts";
import { glyphs, type Tone } from "../../theme.ts";

export interface RequestColumnOptions {
  /** Shows ages instead of the time of day. */
  readonly isRelative: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function requestColumns(options: RequestColumnOptions): readonly Column<RequestRecord>[] {
  const { isRelative, now } = options;
  const text = (value: string, tone: Tone = "plain"): TextRun => ({ text: value, tone });
  return [
    {
      title: "TIME",
      width: isRelative ? 9 : 8,
      cell: ({ startedAt }) =>
        text(isRelative ? span(now - startedAt) : timeOfDay(startedAt), "dim"),
    },
    { title: "ID", width: 6, rank: 4, cell: ({ id }) => text(id) },
    { title: "METHOD", width: 6, rank: 5, cell: ({ method }) => text(method) },
    { title: "PATH", width: 14, isFlexible: true, cell: ({ path }) => text(path) },
    { title: "MODEL", width: 12, rank: 1, cell: ({ model }) => text(shownModel(model ?? "-")) },
    { title: "STATUS", width: 11, cell: (view) => statusRun(view) },
    figureColumn(["IN", 6, 2], String, (view) => view.promptTokens),
    figureColumn(["OUT", 6, 1], String, (view) => view.completionTokens),
    figureColumn(["TTFT", 7, 2], formatMilliseconds, (view) => view.firstTokenMs),
    figureColumn(["tok/s", 6, 3], rate, (view) => speedOf(view, now)),
    figureColumn(
      ["TOTAL", 8, 1],
      formatMilliseconds,
      (view) => view.totalMs ?? now - view.startedAt,
    ),
  ];
}

/** Returns the reason of a failure, or the progress of the prompt, shown instead of the figures. */
export function requestNote(view: RequestRecord): TextRun | undefined {
  if (view.error !== undefined) return { text: view.error.message, tone: "error" };
  const reading = readingProgress(view);
  if (reading === undefined) return undefined;
  const { readTokens, promptTokens, leftMs } = reading;
  const left = leftMs === undefined ? "" : `, ${roughSpan(leftMs)} left`;
  return { text: `${readTokens}/${promptTokens} read${left}`, tone: "plain" };
}

/** Describes an ended request in one line for screen readers. */
export function requestSentence(view: RequestRecord): string {
  const { startedAt, id, method, path, model, warnings = [], error } = view;
  const { promptTokens, completionTokens, firstTokenMs, tokensPerSecond, totalMs = 0 } = view;
  const status = cancellationText(view) ?? statusRun(view).text.slice(2);
  const facts = [timeOfDay(startedAt), id, method, path, shownModel(model ?? "-"), status];
  const figures = [
    promptTokens !== undefined && `${promptTokens} tokens in`,
    completionTokens !== undefined && `${completionTokens} out`,
    firstTokenMs !== undefined && `first token after ${formatMilliseconds(firstTokenMs)}`,
    tokensPerSecond !== undefined && `${rate(tokensPerSecond)} tok/s`,
    `${formatMilliseconds(totalMs)} total`,
  ];
  const rest = error === undefined ? [...figures.filter(Boolean), ...warnings] : [error.message];
  return [facts.join(" "), ...rest].join(", ");
}

/** Returns tokens per second; for a running answer the mean since its first token. */
export function speedOf(view: RequestRecord, now: number): number | undefined {
  if (view.tokensPerSecond !== undefined) return view.tokensPerSecond;
  const { firstTokenMs, completionTokens = 0, startedAt } = view;
  if (view.state !== "running" || firstTokenMs === undefined) return undefined;
  const seconds = (now - startedAt - firstTokenMs) / 1000;
  return completionTokens > 1 && seconds > 0 ? (completionTokens - 1) / seconds : undefined;
}

/** Returns the state of a request as a glyph and a word. */
export function statusRun(view: RequestRecord): TextRun {
  const { state, status, firstTokenMs, promptTokens, model, error, parameters, warnings } = view;
  if (state === "running") {
    if (firstTokenMs !== undefined) return { text: `${glyphs.working} stream`, tone: "plain" };
    if (promptTokens !== undefined) return { text: `${glyphs.working} prompt`, tone: "plain" };
    return { text: `${glyphs.queued} ${model === undefined ? "open" : "queue"}`, tone: "dim" };
  }
  if (state === "cancelled") return { text: `${glyphs.stopped} cancelled`, tone: "warning" };
  if (status === undefined) return { text: `${glyphs.failed} lost`, tone: "error" };
  if (isFailure(view)) return { text: `${glyphs.failed} ${status}`, tone: "error" };
  // It failed after the headers were sent.
  if (error !== undefined) return { text: `${glyphs.failed} broken`, tone: "error" };
  // A dry run changes nothing, whatever its method says.
  const outcome = parameters?.dry_run === true ? "dry run" : status;
  // The details have the sentences.
  const mark = warnings === undefined ? "" : ` ${glyphs.warning}`;
  return { text: `${glyphs.done} ${outcome}${mark}`, tone: "plain" };
}
