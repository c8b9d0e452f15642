// One request in full, as rows: who asked, in which phases it was answered, what was said.

import { formatMilliseconds } from "../../../base/time-format.ts";
import type { RequestTexts, RequestView } from "../../../client/requests.ts";
import type { StyledRow } from "../../frame/screen.ts";
import { clipRow, foreignSpan, textRow } from "../../panes/styled-row.ts";
import { neutraliseLine, normaliseLineBreaks } from "../../text/neutralise.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import { statusSpan, timeOfDay } from "./request-columns.ts";

/** What the server was asked to keep of it, and how far the question has come. */
export type DetailTexts =
  | { readonly kind: "reading" }
  | { readonly kind: "read"; readonly texts: RequestTexts }
  | { readonly kind: "failed"; readonly sentence: string };

/**
 * Parameters and phases, without what was said.
 * @param isWrapped long rows go on below, instead of being cut
 */
export function summaryRows(
  view: RequestView,
  width: number,
  glyphs: Glyphs,
  isWrapped = false,
): StyledRow[] {
  const rowsOf = (text: string, tone: Tone): StyledRow[] =>
    isWrapped
      ? wrapped(text, width, glyphs, tone)
      : [clipRow([foreignSpan(text, tone, glyphs.isAscii)], width, glyphs.ellipsis)];
  const { client, keyId, stream, slot, finishReason, error } = view;
  const caller = [
    keyId === undefined ? "no key" : `key ${keyId}`,
    `from ${client.address}`,
    client.agent,
    stream ? "streamed" : "in one piece",
    slot === undefined ? undefined : `slot ${slot}`,
    finishReason === undefined ? undefined : `ended by ${finishReason}`,
  ];
  const what = `  ${view.method} ${view.path}  ${view.model ?? ""}`;
  const heading: StyledRow = [
    { text: `${timeOfDay(view.startedAt)}  `, tone: "dim" },
    statusSpan(view, glyphs),
    foreignSpan(what, "title", glyphs.isAscii),
  ];
  const parameters = parametersText(view);
  return [
    clipRow(heading, width, glyphs.ellipsis),
    ...rowsOf(caller.filter((part) => part !== undefined).join("  "), "plain"),
    ...rowsOf(phasesText(view, glyphs), "plain"),
    ...(parameters === "" ? [] : rowsOf(parameters, "dim")),
    ...(error === undefined ? [] : rowsOf(`${error.code}: ${error.message}`, "error")),
  ];
}

/** `queued 20 ms → prompt 800 ms (2014 tokens, 1210 cached) → answer 1.28 s (71 tokens)`. */
export function phasesText(view: RequestView, glyphs: Glyphs): string {
  const { loadMs = 0, queueMs, promptMs, completionMs, firstTokenMs, totalMs } = view;
  const { promptTokens, cachedTokens = 0, completionTokens } = view;
  const cached = cachedTokens > 0 ? `, ${cachedTokens} cached` : "";
  const prompt = promptTokens === undefined ? "" : ` (${promptTokens} tokens${cached})`;
  const answer = completionTokens === undefined ? "" : ` (${completionTokens} tokens)`;
  const phases = [
    loadMs >= 1 ? `loaded in ${formatMilliseconds(loadMs)}` : undefined,
    queueMs === undefined ? undefined : `queued ${formatMilliseconds(queueMs)}`,
    promptMs === undefined ? undefined : `prompt ${formatMilliseconds(promptMs)}${prompt}`,
    completionMs === undefined ? undefined : `answer ${formatMilliseconds(completionMs)}${answer}`,
  ].filter((phase) => phase !== undefined);
  const ends = [
    firstTokenMs === undefined
      ? undefined
      : `first token after ${formatMilliseconds(firstTokenMs)}`,
    totalMs === undefined ? undefined : `${formatMilliseconds(totalMs)} in all`,
  ].filter((part) => part !== undefined);
  const path = phases.join(` ${glyphs.arrow} `);
  return [path, ends.join(", ")].filter((part) => part !== "").join("; ") || "nothing measured yet";
}

/** The whole view; it may be longer than the window. */
export function detailRows(
  view: RequestView,
  texts: DetailTexts,
  width: number,
  glyphs: Glyphs,
  isWrapped: boolean,
): StyledRow[] {
  const section = (title: string, text: string): StyledRow[] => [
    [],
    textRow(title, "title"),
    ...normaliseLineBreaks(text)
      .split("\n")
      .flatMap((line) => contentRows(line, width, glyphs, isWrapped)),
  ];
  const rows = summaryRows(view, width, glyphs, true);
  switch (texts.kind) {
    case "reading":
      return [...rows, [], textRow("Reading what was said …".replace("…", glyphs.ellipsis), "dim")];
    case "failed":
      return [...rows, [], ...wrapped(texts.sentence, width, glyphs, "error")];
    case "read": {
      const { prompt, answer } = texts.texts;
      if (prompt === undefined && answer === undefined) {
        const sentence =
          "What is said is not kept. A server that is started with MODELCTL_LOG_PROMPTS=1 keeps prompts, answers and bodies in memory.";
        return [...rows, [], ...wrapped(sentence, width, glyphs, "dim")];
      }
      return [
        ...rows,
        ...(prompt === undefined ? [] : section("Prompt, as the model got it", prompt)),
        ...(answer === undefined ? [] : section("Answer", answer)),
      ];
    }
  }
}

/** The same for a pager or a file, without borders and cuts. */
export function detailText(view: RequestView, texts: DetailTexts, glyphs: Glyphs): string {
  const rows = detailRows(view, texts, Number.MAX_SAFE_INTEGER, glyphs, true);
  return rows
    .map((row) =>
      row
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

function parametersText({ parameters }: RequestView): string {
  return Object.entries(parameters ?? {})
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("  ");
}

function contentRows(line: string, width: number, glyphs: Glyphs, isWrapped: boolean): StyledRow[] {
  const harmless = neutraliseLine(line, glyphs.isAscii);
  if (!isWrapped)
    return [clipRow(textRow(harmless.replaceAll("\t", "    ")), width, glyphs.ellipsis)];
  return wrapLine(harmless, width).map(({ text }) => textRow(text));
}

function wrapped(sentence: string, width: number, glyphs: Glyphs, tone: Tone): StyledRow[] {
  return wrapLine(neutraliseLine(sentence, glyphs.isAscii), width).map(({ text }) =>
    textRow(text, tone),
  );
}
