// The conversation in words, for screen readers: speaker, text and end of each message. Lines never change.

import { normaliseLineBreaks } from "../../../../base/harmless-text.ts";
import { plural } from "../../../../base/quantities.ts";
import { spokenCall } from "../../../../chat/conversation/call-text.ts";
import {
  type AssistantEntry,
  type DoneCall,
  earlyEndings,
  type TranscriptEntry,
} from "../../../../chat/conversation/transcript-entry.ts";
import { attachedText } from "../../../../client/attachments/read-image-file.ts";
import { finishedCount } from "./printed-entries.ts";

/** Shorter sentences are joined with the next one, as are `1.` and `e.g.` */
const sentenceMinimum = 30;
const resultLinesMaximum = 5;
const sentenceEnd = /[.!?…]["')\]]*\s+|[。！？]/g;

/** Returns everything to be read out so far, including finished lines and sentences of a running answer. */
export function spokenEntries(entries: readonly TranscriptEntry[]): readonly string[] {
  const count = finishedCount(entries);
  const finished = entries.slice(0, count).flatMap(finishedLines);
  const next = entries[count];
  return next?.kind === "assistant" ? [...finished, ...answerLines(next)] : finished;
}

/** Caches lines by entry, since entries never change. */
const known = new WeakMap<TranscriptEntry, readonly string[]>();

function finishedLines(entry: TranscriptEntry): readonly string[] {
  const lines = known.get(entry) ?? entryLines(entry);
  known.set(entry, lines);
  return lines;
}

const speakers = { user: "You", error: "Error", notice: "Note" } as const;

function entryLines(entry: TranscriptEntry): readonly string[] {
  if (entry.kind === "assistant") return answerLines(entry);
  // Attached texts are named, not read out.
  const hasFiles = entry.kind === "user" && entry.files !== undefined;
  const text = hasFiles ? (entry.typed ?? entry.text) : entry.text;
  const said = [normaliseLineBreaks(text), ...besideText(entry)].filter((part) => part !== "");
  const asked = entry.kind === "notice" && entry.line ? [`Command: ${entry.line}`] : [];
  return [...asked, `${speakers[entry.kind]}: ${said.join(" ")}`];
}

/** Images of a question, keys that help after an error. */
function besideText(entry: Exclude<TranscriptEntry, AssistantEntry>): string[] {
  if (entry.kind === "user") {
    return (entry.images ?? []).map((image) => `(${attachedText(image, image.tokens)})`);
  }
  return entry.next === undefined ? [] : [`(${entry.next.replaceAll("·", ",")})`];
}

/** Lines of a running answer are the first lines of the finished one. */
function answerLines({
  text,
  state,
  toolCalls = [],
  steps = [],
}: AssistantEntry): readonly string[] {
  const isOpen = state === "running";
  const pieces = steps.flatMap(({ text: before, calls }) => [
    ...sentencesOf(before, false),
    ...calls.flatMap(doneCallLines),
  ]);
  pieces.push(...sentencesOf(text, isOpen));
  if (!isOpen) {
    const calls = toolCalls.map((call) => `(calls ${spokenCall({ server: "", ...call })})`);
    const ending = earlyEndings[state];
    pieces.push(...calls, ...(ending === undefined ? [] : [`(${ending.words})`]));
  }
  const [first = "", ...rest] = pieces;
  return pieces.length === 0 && isOpen ? [] : [`Assistant: ${first}`, ...rest];
}

/** Returns the call, and the beginning of its result. */
function doneCallLines(call: DoneCall): string[] {
  const lines = normaliseLineBreaks(call.result).trimEnd().split("\n");
  const shown = lines.slice(0, resultLinesMaximum);
  const rest = lines.length - shown.length;
  const more = rest > 0 ? [`(${plural(rest, "more line")} of the result)`] : [];
  const outcome = call.ending ?? (call.isError ? "failed" : "result");
  const [first = "", ...others] = shown;
  const images = (call.images ?? []).map((image) => `(${attachedText(image, image.tokens)})`);
  return [`(called ${spokenCall(call)})`, `(${outcome}) ${first}`, ...others, ...more, ...images];
}

/** @param isOpen more text may follow: an unfinished line is left out */
function sentencesOf(text: string, isOpen: boolean): string[] {
  const lines = normaliseLineBreaks(text).split("\n");
  const open = isOpen ? lines.pop() : undefined;
  const sentences = lines.flatMap(splitSentences);
  if (open !== undefined) sentences.push(...splitSentences(open).slice(0, -1));
  return sentences.map((sentence) => sentence.trim()).filter((line) => line !== "");
}

function splitSentences(line: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { index, 0: mark } of line.matchAll(sentenceEnd)) {
    const end = index + mark.length;
    if (end - from < sentenceMinimum) continue;
    sentences.push(line.slice(from, end));
    from = end;
  }
  return [...sentences, line.slice(from)];
}
