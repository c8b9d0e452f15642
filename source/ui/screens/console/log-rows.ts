// The lines of a log in sight.

import type { LogDocument } from "../../../cloud/admin/documents.ts";
import type { StyledRow } from "../../frame/screen.ts";
import { clipRow, foreignSpan } from "../../panes/styled-row.ts";
import { neutraliseLine } from "../../text/neutralise.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import type { LogView } from "./log-view.ts";
import { shortReplica, timeOfDay } from "./replica-rows.ts";

/** Programs colour their output even where no terminal is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are the subject here
const colours = /\u001b\[[\d;:]*m/g;

/** In front of a text: time, replica, sign. */
const headWidth = 8 + 1 + 8 + 3;

/** The newest rows at the bottom; only what is in sight is laid out. */
export function logRows(
  view: LogView,
  { width, height, glyphs, isWrapped }: LogRowOptions,
): StyledRow[] {
  const entries = view.window(height);
  const rows = entries.flatMap(({ line }) =>
    isWrapped ? wrapped(line, width, height, glyphs) : [clipped(line, width, glyphs)],
  );
  return rows.slice(-height);
}

export interface LogRowOptions {
  readonly width: number;
  readonly height: number;
  readonly glyphs: Glyphs;
  readonly isWrapped: boolean;
}

/** As `deployctl logs` prints it. */
export function logLineText({ ts, replica, stream, text }: LogDocument): string {
  const mark = stream === "event" ? "*" : " ";
  return `${timeOfDay(ts)} ${shortReplica(replica).padEnd(8)} ${mark} ${text}`;
}

function clipped(line: LogDocument, width: number, glyphs: Glyphs): StyledRow {
  // A line may have a megabyte: only what may be seen is looked at.
  const text = line.text.slice(0, width * 2);
  const row = [...head(line), foreignSpan(withoutColours(text), toneOf(line), glyphs.isAscii)];
  return clipRow(row, width, glyphs.ellipsis);
}

function wrapped(line: LogDocument, width: number, height: number, glyphs: Glyphs): StyledRow[] {
  const room = Math.max(1, width - headWidth);
  const text = neutraliseLine(withoutColours(line.text.slice(0, room * height)), glyphs.isAscii);
  const tone = toneOf(line);
  return wrapLine(text.replaceAll("\t", " "), room).map((piece, index) => [
    ...(index === 0 ? head(line) : [{ text: " ".repeat(headWidth), tone: "plain" } as const]),
    { text: piece.text, tone },
  ]);
}

/** On one line; other control characters are shown as signs. */
function withoutColours(text: string): string {
  return text.replaceAll(colours, "").replaceAll(/[\r\n]+/g, " ");
}

function head({ ts, replica, stream }: LogDocument): StyledRow {
  const mark = stream === "event" ? "*" : stream === "stderr" ? "!" : " ";
  return [
    { text: `${timeOfDay(ts)} `, tone: "dim" },
    foreignSpan(shortReplica(replica).padEnd(8), "name", true),
    { text: ` ${mark} `, tone: stream === "stderr" ? "warning" : "key" },
  ];
}

function toneOf({ stream }: LogDocument): Tone {
  return stream === "event" ? "mark" : "plain";
}
