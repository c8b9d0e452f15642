// Entries of the transcript, and the model's conversation made from them.

import type { ClientMessage } from "../../client/chat-events.ts";
import type {
  AnswerEnding,
  SessionDoneCall,
  SessionFile,
  SessionImage,
  SessionStep,
  SessionToolCall,
} from "../sessions/session.ts";

/** State of an answer; `limit`: ended at the token limit or with a full window. */
export type AnswerState = AnswerEnding | "running";

interface EarlyEnding {
  readonly sign: "warning" | "stopped" | "failed";
  readonly words: string;
}

/** Describes answers that ended early. */
export const earlyEndings: Readonly<Partial<Record<AnswerState, EarlyEnding>>> = {
  limit: { sign: "warning", words: "length limit reached" },
  stopped: { sign: "stopped", words: "stopped" },
  failed: { sign: "failed", words: "failed" },
};

export interface EntryImage extends Omit<SessionImage, "digest"> {
  /** The file's bytes; empty if the file of a saved chat is missing. */
  readonly base64: string;
  /** A small picture of it; no rows if it cannot be drawn. */
  readonly preview: readonly PictureRow[];
}

/** A row of a picture: each character shows two pixels, above each other. */
export type PictureRow = readonly PictureRun[];

export interface PictureRun {
  readonly text: string;
  /** `#rrggbb` */
  readonly color: string;
  readonly backgroundColor: string;
}

export interface UserEntry {
  readonly kind: "user";
  readonly id: number;
  /** As the model sees it. */
  readonly text: string;
  /** The typed text if it differs, as with paths of images. */
  readonly typed?: string | undefined;
  readonly images?: readonly EntryImage[] | undefined;
  readonly files?: readonly SessionFile[] | undefined;
  /** Milliseconds since 1970. */
  readonly atMs?: number | undefined;
  /** True for a message stored with the model: it is shown and not sent. */
  readonly isStored?: boolean;
}

export interface AssistantEntry {
  readonly kind: "assistant";
  readonly id: number;
  readonly text: string;
  readonly state: AnswerState;
  readonly thinking?: string | undefined;
  readonly thinkingMs?: number | undefined;
  readonly isThinkingOpen?: boolean | undefined;
  readonly areResultsOpen?: boolean | undefined;
  readonly toolCalls?: readonly SessionToolCall[] | undefined;
  /** The first of the calls above, while it is decided about or run. */
  readonly openCall?: OpenCall | undefined;
  /** Turns before the text that called tools. */
  readonly steps?: readonly EntryStep[] | undefined;
  /** `61 tok/s · 182 ms`, for its headline. */
  readonly note?: string | undefined;
  readonly atMs?: number | undefined;
  readonly isStored?: boolean;
}

/** A call without a result yet. */
export interface OpenCall {
  /** Empty for a tool that does not exist. */
  readonly server: string;
  readonly name: string;
  readonly state: "asking" | "running";
  /** Milliseconds in this state. */
  readonly elapsedMs: number;
  /** Its server says that it changes nothing. */
  readonly isReadOnly?: boolean;
  /** The model wrote it as plain text. */
  readonly isFromText?: boolean;
  /** A permission may cover later calls. */
  readonly isKeepable?: boolean;
}

/** A call with its result. */
export interface DoneCall extends Omit<SessionDoneCall, "images"> {
  readonly images?: readonly EntryImage[] | undefined;
}

/** A turn of the model that ended with calls. */
export interface EntryStep extends Omit<SessionStep, "calls"> {
  readonly calls: readonly DoneCall[];
}

export interface NoteEntry {
  readonly kind: "error" | "notice";
  readonly id: number;
  readonly text: string;
  readonly next?: string;
  /** The typed line that asked for it. */
  readonly line?: string | undefined;
}

export type TranscriptEntry = UserEntry | AssistantEntry | NoteEntry;

/** Returns an unused entry id. */
export function nextEntryId(entries: readonly TranscriptEntry[]): number {
  return (entries.at(-1)?.id ?? -1) + 1;
}

/** Returns the model's conversation, without errors and notices. */
export function conversationOf(entries: readonly TranscriptEntry[]): ClientMessage[] {
  return entries.flatMap((entry) => {
    if (isStored(entry)) return [];
    const messages = messageOf(entry);
    if (entry.kind !== "user" || entry.typed === undefined) return messages;
    const { typed } = entry;
    return messages.map((message) => ({ ...message, typed }));
  });
}

/** Returns the conversation after the model's stored messages. */
export function wholeConversationOf(entries: readonly TranscriptEntry[]): ClientMessage[] {
  return entries.flatMap(messageOf);
}

export function isStored(entry: TranscriptEntry): boolean {
  return (entry.kind === "user" || entry.kind === "assistant") && entry.isStored === true;
}

/** Returns the messages of an entry; none for a note or an answer without text. */
export function messageOf(entry: TranscriptEntry): ClientMessage[] {
  if (entry.kind === "user") {
    const images = (entry.images ?? []).map(({ base64 }) => base64).filter((text) => text !== "");
    return [{ role: "user", content: entry.text, ...(images.length > 0 && { images }) }];
  }
  if (entry.kind !== "assistant") return [];
  const steps = (entry.steps ?? []).flatMap(messagesOfStep);
  const calls = (entry.toolCalls ?? []).map((call) => ({ function: call }));
  const isUnfinished = entry.state === "running" || steps.length > 0;
  if (isUnfinished && entry.text === "" && calls.length === 0) return steps;
  return [
    ...steps,
    { role: "assistant", content: entry.text, ...(calls.length > 0 && { tool_calls: calls }) },
  ];
}

/** Returns a message with images: few templates have a place for them in the results themselves. */
export function imagesOfResults(images: readonly string[]): ClientMessage[] {
  if (images.length === 0) return [];
  return [
    {
      role: "user",
      content: "The images of the results above.",
      images,
      isOfResults: true,
      typed: "",
    },
  ];
}

function messagesOfStep({ text, calls }: EntryStep): ClientMessage[] {
  const images = calls.flatMap((call) => (call.images ?? []).map(({ base64 }) => base64));
  const made = calls.map(({ name, arguments: values }) => ({
    function: { name, arguments: values },
  }));
  return [
    { role: "assistant", content: text, tool_calls: made },
    ...calls.map(
      ({ name, result }): ClientMessage => ({
        role: "tool",
        content: result,
        tool_name: name,
      }),
    ),
    ...imagesOfResults(images.filter((base64) => base64 !== "")),
  ];
}

/**
 * Returns messages stored with the model as the start of a transcript. Their ids are below all others,
 * as they may arrive after the first messages.
 */
export function storedEntries(messages: readonly ClientMessage[]): TranscriptEntry[] {
  return messages.flatMap(({ role, content: text }, index): TranscriptEntry[] => {
    const id = index - messages.length;
    if (role === "user") return [{ kind: "user", id, text, isStored: true }];
    if (role !== "assistant") return [];
    return [{ kind: "assistant", id, text, state: "complete", isStored: true }];
  });
}

/** Returns the last question, and the entries before it. */
export function lastQuestion(
  entries: readonly TranscriptEntry[],
): { readonly before: readonly TranscriptEntry[]; readonly question: UserEntry } | undefined {
  const index = entries.findLastIndex((entry) => entry.kind === "user" && !isStored(entry));
  const question = entries[index];
  return question?.kind === "user" ? { before: entries.slice(0, index), question } : undefined;
}
