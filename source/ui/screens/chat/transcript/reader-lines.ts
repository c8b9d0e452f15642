// The conversation as lines for screen readers: who speaks in a word, and how it ended.

import { attachedText } from "../../../../client/attachments/read-image-file.ts";
import { neutraliseLine, normaliseLineBreaks } from "../../../text/neutralise.ts";
import type { TranscriptEntry } from "../conversation/transcript-entry.ts";

export interface SpokenTranscript {
  /** What will not change any more. */
  readonly finished: readonly string[];
  /** A question stays with its answer until that has ended: it may still go back into the editor. */
  readonly open: readonly string[];
}

export function spokenTranscript(entries: readonly TranscriptEntry[]): SpokenTranscript {
  const running = entries.findIndex(
    (entry) => entry.kind === "assistant" && entry.state === "running",
  );
  const end = running === -1 ? entries.length : Math.max(0, running - 1);
  return {
    finished: entries.slice(0, end).map(spokenOnce),
    open: entries.slice(end).map(spokenEntry),
  };
}

/** An entry is never changed; in a long chat nearly all are as they were. */
const spoken = new WeakMap<TranscriptEntry, string>();

function spokenOnce(entry: TranscriptEntry): string {
  const text = spoken.get(entry) ?? spokenEntry(entry);
  spoken.set(entry, text);
  return text;
}

const speakers = { user: "You", assistant: "Assistant", error: "Error", notice: "Note" } as const;

/** An entry as it is read out. */
export function spokenEntry(entry: TranscriptEntry): string {
  const said = [harmless(entry.text), ...besideText(entry)].filter((part) => part !== "");
  const text = `${speakers[entry.kind]}: ${said.join(" ")}`;
  if (entry.kind !== "assistant") return text;
  if (entry.state === "limit") return `${text} (cut at the length limit)`;
  return entry.state === "stopped" || entry.state === "failed" ? `${text} (${entry.state})` : text;
}

/** A text that the terminal does not obey. */
export function harmless(text: string): string {
  return normaliseLineBreaks(text)
    .split("\n")
    .map((line) => neutraliseLine(line, true))
    .join("\n");
}

/** What belongs to a message beside its text. */
function besideText(entry: TranscriptEntry): string[] {
  if (entry.kind === "user") {
    return (entry.images ?? []).map((image) => `(${attachedText(image, image.tokens)})`);
  }
  if (entry.kind !== "assistant") {
    return entry.next === undefined ? [] : [`(${entry.next.replaceAll("·", ",")})`];
  }
  return (entry.toolCalls ?? []).map(
    (call) => `(calls ${harmless(`${call.name} ${JSON.stringify(call.arguments)}`)})`,
  );
}
