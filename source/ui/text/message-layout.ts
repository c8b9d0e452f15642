// The rows of messages: wrapped once per width, and of a growing one only the open line.

import type { Row, Tone } from "../theme.ts";
import { neutraliseLine, normaliseLineBreaks } from "./neutralise.ts";
import { wrapLine } from "./wrap-line.ts";

/** A code fence: at most three blanks, then three or more backticks or tildes (CommonMark 4.5). */
const fencePattern = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const codeIndentation = "  ";

interface OpenFence {
  readonly marker: string;
}

interface CachedMessage {
  readonly width: number;
  /** The text behind `rows`. */
  text: string;
  rows: Row[];
  /** Offset of the line that may still grow. */
  openLineStart: number;
  /** How many rows come before that line. */
  settledRows: number;
  /** The fence that is open where that line starts. */
  fence: OpenFence | undefined;
}

/** Keeps the rows of each message; a message that only grew is wrapped from its last line on. */
export class MessageLayout {
  readonly #isAscii: boolean;
  readonly #messages = new Map<number, CachedMessage>();

  constructor(isAscii: boolean) {
    this.#isAscii = isAscii;
  }

  /**
   * Rows of a message.
   * @param key the message's number, the same for all of its growth
   */
  rowsOf(key: number, text: string, width: number): readonly Row[] {
    const known = this.#messages.get(key);
    if (known?.width === width && known.text === text) return known.rows;
    const isGrowth = known !== undefined && known.width === width && text.startsWith(known.text);
    const message = isGrowth ? known : emptyMessage(width);
    this.#extend(message, text);
    this.#messages.set(key, message);
    return message.rows;
  }

  /** Drops what is kept of all messages but these. */
  retain(keys: ReadonlySet<number>): void {
    for (const key of this.#messages.keys()) if (!keys.has(key)) this.#messages.delete(key);
  }

  /** How many messages are kept. */
  get size(): number {
    return this.#messages.size;
  }

  #extend(message: CachedMessage, text: string): void {
    // A carriage return at the very end may be the first half of a line break that is on its way.
    const open = normaliseLineBreaks(text.slice(message.openLineStart).replace(/\r$/, ""));
    const lines = open.split("\n");
    const rows = message.rows.slice(0, message.settledRows);
    let fence = message.fence;
    for (const [index, line] of lines.entries()) {
      if (index === lines.length - 1) {
        message.settledRows = rows.length;
        message.fence = fence;
        message.openLineStart = text.length - lengthOfLastLine(text);
      }
      const next = nextFence(line, fence);
      const isFenceLine = (next === undefined) !== (fence === undefined);
      const tone: Tone = isFenceLine ? "dim" : fence === undefined ? "plain" : "code";
      this.#appendLine(rows, line, message.width, tone);
      fence = next;
    }
    message.text = text;
    message.rows = rows;
  }

  #appendLine(rows: Row[], line: string, width: number, tone: Tone): void {
    const harmless = neutraliseLine(line, this.#isAscii);
    if (tone !== "code") {
      for (const row of wrapLine(harmless, width)) rows.push({ text: row.text, tone });
      return;
    }
    for (const row of wrapLine(harmless, width - codeIndentation.length, "hard")) {
      rows.push({ text: codeIndentation + row.text, tone });
    }
  }
}

function emptyMessage(width: number): CachedMessage {
  return { width, text: "", rows: [], openLineStart: 0, settledRows: 0, fence: undefined };
}

function lengthOfLastLine(text: string): number {
  const end = text.endsWith("\r") ? text.length - 1 : text.length;
  for (let position = end - 1; position >= 0; position -= 1) {
    const character = text[position];
    if (character === "\n" || character === "\r") return text.length - position - 1;
    if (character === "\u2028" || character === "\u2029") return text.length - position - 1;
  }
  return text.length;
}

/** The fence that is open after a line. */
function nextFence(line: string, open: OpenFence | undefined): OpenFence | undefined {
  const match = fencePattern.exec(line);
  const marker = match?.[1];
  if (marker === undefined) return open;
  const rest = match?.[2] ?? "";
  if (open === undefined) {
    // A line such as ```code``` is inline code.
    return marker.startsWith("`") && rest.includes("`") ? undefined : { marker };
  }
  const closes =
    marker[0] === open.marker[0] && marker.length >= open.marker.length && rest.trim() === "";
  return closes ? undefined : open;
}
