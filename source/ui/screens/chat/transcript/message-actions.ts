// Actions on messages: scrolling, selecting, copying, folding, retrying, forking.

import { shortText } from "../../../../base/graphemes.ts";
import { toMarkdown } from "../../../../chat/conversation/export-conversation.ts";
import {
  type AssistantEntry,
  lastQuestion,
  type TranscriptEntry,
  type UserEntry,
} from "../../../../chat/conversation/transcript-entry.ts";
import { reduceEditor } from "../../../editor/editor-reducer.ts";
import { codePieces } from "../../../markdown/markdown-layout.ts";
import type { ChatContext } from "../chat-context.ts";
import { chatLayout, transcriptWidth } from "../chat-layout.ts";
import { layOutTranscript } from "../chat-view.ts";
import { reveal, type ScrollRequest, scroll as scrolled } from "./transcript-window.ts";

type Message = UserEntry | AssistantEntry;

export function scroll(chat: ChatContext, request: ScrollRequest): undefined {
  const { transcript, rows } = laidOut(chat);
  chat.store.update({ viewport: scrolled(chat.state.viewport, request, transcript, rows) });
}

export function stopReading({ store }: ChatContext): undefined {
  store.update({ selectedId: undefined });
}

export function select(chat: ChatContext, direction: -1 | 1): undefined {
  const messages = messagesOf(chat);
  const at = messages.findIndex(({ id }) => id === chat.state.selectedId);
  const next = at === -1 ? messages.at(-1) : messages[at + direction];
  if (next !== undefined) selectEntry(chat, next.id);
  // The field is below the last message.
  else if (direction === 1) stopReading(chat);
}

export function toggleThinking(chat: ChatContext): string | undefined {
  const entry = selectedMessage(chat);
  if (entry?.kind !== "assistant" || entry.thinking === undefined) {
    return "No thinking in this message.";
  }
  replace(chat, entry, { ...entry, isThinkingOpen: entry.isThinkingOpen !== true });
}

/** Opens or folds the results of the message's calls, otherwise its thinking. */
export function toggleResults(chat: ChatContext): string | undefined {
  const entry = selectedMessage(chat);
  if (entry?.kind !== "assistant" || entry.steps === undefined) return toggleThinking(chat);
  replace(chat, entry, { ...entry, areResultsOpen: entry.areResultsOpen !== true });
}

/** @returns a sentence with the outcome */
export async function copyMessage(chat: ChatContext): Promise<string | undefined> {
  const entry = selectedMessage(chat);
  return entry === undefined ? undefined : await chat.frame.copy(entry.text);
}

/** Copies the next code block of the message, or of the nearest one with code. */
export async function copyCode(chat: ChatContext): Promise<string | undefined> {
  const entry = selectedMessage(chat);
  if (entry === undefined) return undefined;
  const nearest = nearestCode(chat, entry);
  if (nearest === undefined) return "No code in this chat.";
  const { id, pieces } = nearest;
  const first = id < entry.id ? pieces.length - 1 : 0;
  const block = chat.copied?.id === id ? (chat.copied.block + 1) % pieces.length : first;
  chat.copied = { id, block };
  const outcome = await chat.frame.copy(pieces[block] ?? "");
  const place = [
    ...(pieces.length > 1 ? [`block ${block + 1} of ${pieces.length}`] : []),
    ...(id === entry.id ? [] : [id < entry.id ? "earlier message" : "later message"]),
  ];
  return place.length === 0 ? outcome : `${outcome} (${place.join(", ")})`;
}

/** Asks first where an answer would be lost. */
export async function regenerate(chat: ChatContext): Promise<string | undefined> {
  const { entries } = chat.state;
  const last = lastQuestion(entries);
  if (last === undefined) return "Nothing to regenerate.";
  const { before, question } = last;
  const isLosing = entries
    .slice(before.length)
    .some((entry) => entry.kind === "assistant" && entry.text !== "");
  if (isLosing) {
    const asked = shortText(question.typed ?? question.text);
    const isSure = await chat.frame.confirm(`Regenerate? The answer to "${asked}" is lost.`);
    if (!isSure) return;
  }
  return regenerateNow(chat);
}

export function regenerateNow(chat: ChatContext): string | undefined {
  const last = lastQuestion(chat.state.entries);
  if (last === undefined) return "Nothing to regenerate.";
  stopReading(chat);
  // The promise never fails: the state tells how the answer ends.
  void chat.session.askAgain(last.question, last.before);
}

/** Puts the last question into the field; the next message replaces it. */
export function editLast({ store, state }: ChatContext): string | undefined {
  const last = lastQuestion(state.entries);
  if (last === undefined) return "No message to edit.";
  const { question } = last;
  const { editor } = state;
  // The text in the field becomes an entry of the history.
  const emptied = editor.text === "" ? editor : reduceEditor(editor, { type: "shelve" });
  const text = question.typed ?? question.text;
  store.update({
    editor: reduceEditor(emptied, { type: "replace", text }),
    editingId: question.id,
    selectedId: undefined,
  });
}

export function cancelEditing({ store, state }: ChatContext): undefined {
  const editor = reduceEditor(state.editor, { type: "shelve" });
  store.update({ editor, editingId: undefined });
}

/** Continues in a copy of the chat that ends here. */
export async function forkHere(chat: ChatContext): Promise<string | undefined> {
  const { actions, store } = chat;
  const { selectedId, entries } = chat.state;
  const at = entries.findIndex(({ id }) => id === selectedId);
  const outcome = await actions.fork(undefined);
  if (at !== -1) store.update({ entries: entries.slice(0, at + 1), contextTokens: undefined });
  actions.record();
  stopReading(chat);
  return outcome;
}

export async function page({ state, frame, actions }: ChatContext): Promise<string | undefined> {
  if (state.entries.length === 0) return "No messages yet.";
  await frame.page(toMarkdown(actions.exported));
}

function replace({ store, state }: ChatContext, entry: Message, changed: Message): void {
  store.update({ entries: state.entries.map((each) => (each === entry ? changed : each)) });
}

/** Returns the current transcript and the number of its rows. */
function laidOut(chat: ChatContext) {
  const room = chat.size();
  const rows = chatLayout(chat.state, room).transcriptRows;
  const transcript = layOutTranscript(chat, chat.state, transcriptWidth(room.columns));
  return { transcript, rows };
}

function messagesOf({ state }: ChatContext): readonly Message[] {
  return state.entries.filter(isMessage);
}

function selectedMessage(chat: ChatContext): Message | undefined {
  return messagesOf(chat).find(({ id }) => id === chat.state.selectedId);
}

/** Returns the code blocks of this message, or of the nearest one with code. */
function nearestCode(chat: ChatContext, { id }: Message) {
  const messages = messagesOf(chat);
  const at = messages.findIndex((message) => message.id === id);
  for (let distance = 0; distance < messages.length; distance += 1) {
    for (const message of [messages[at - distance], messages[at + distance]]) {
      const pieces = message === undefined ? [] : codePieces(message.text);
      if (message !== undefined && pieces.length > 0) return { id: message.id, pieces };
    }
  }
  return undefined;
}

function selectEntry(chat: ChatContext, selectedId: number): void {
  const { transcript, rows } = laidOut(chat);
  const viewport = reveal(chat.state.viewport, selectedId, transcript, rows);
  chat.store.update({ selectedId, viewport });
}

function isMessage(entry: TranscriptEntry): entry is Message {
  return entry.kind === "user" || entry.kind === "assistant";
}
