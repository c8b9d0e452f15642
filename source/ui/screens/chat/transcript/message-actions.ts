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
import { chatLayout, transcriptWidth } from "../chat-layout.ts";
import type { ChatState } from "../chat-state.ts";
import { type ChatParts, layOutTranscript } from "../chat-view.ts";
import { reveal, type ScrollRequest, scroll } from "./transcript-window.ts";

type Message = UserEntry | AssistantEntry;

export class MessageActions {
  readonly #chat: ChatParts;
  /** The block of code that was copied last. */
  #copied: { readonly id: number; readonly block: number } | undefined;

  constructor(chat: ChatParts) {
    this.#chat = chat;
  }

  scroll(request: ScrollRequest): undefined {
    const { transcript, rows } = this.#transcript();
    this.#update({ viewport: scroll(this.#state.viewport, request, transcript, rows) });
  }

  stopReading(): undefined {
    this.#update({ selectedId: undefined });
  }

  select(direction: -1 | 1): undefined {
    const messages = this.#messages;
    const at = messages.findIndex(({ id }) => id === this.#state.selectedId);
    const next = at === -1 ? messages.at(-1) : messages[at + direction];
    if (next !== undefined) this.#selectEntry(next.id);
    // The field is below the last message.
    else if (direction === 1) this.stopReading();
  }

  toggleThinking(): string | undefined {
    const entry = this.#selected;
    if (entry?.kind !== "assistant" || entry.thinking === undefined) {
      return "No thinking in this message.";
    }
    this.#replace(entry, { ...entry, isThinkingOpen: entry.isThinkingOpen !== true });
  }

  /** Opens or folds the results of the message's calls, otherwise its thinking. */
  toggleResults(): string | undefined {
    const entry = this.#selected;
    if (entry?.kind !== "assistant" || entry.steps === undefined) return this.toggleThinking();
    this.#replace(entry, { ...entry, areResultsOpen: entry.areResultsOpen !== true });
  }

  /** @returns a sentence with the outcome */
  async copyMessage(): Promise<string | undefined> {
    const entry = this.#selected;
    return entry === undefined ? undefined : await this.#chat.frame.copy(entry.text);
  }

  /** Copies the next code block of the message, or of the nearest one with code. */
  async copyCode(): Promise<string | undefined> {
    const entry = this.#selected;
    if (entry === undefined) return undefined;
    const nearest = this.#nearestCode(entry);
    if (nearest === undefined) return "No code in this chat.";
    const { id, pieces } = nearest;
    const first = id < entry.id ? pieces.length - 1 : 0;
    const block = this.#copied?.id === id ? (this.#copied.block + 1) % pieces.length : first;
    this.#copied = { id, block };
    const outcome = await this.#chat.frame.copy(pieces[block] ?? "");
    const place = [
      ...(pieces.length > 1 ? [`block ${block + 1} of ${pieces.length}`] : []),
      ...(id === entry.id ? [] : [id < entry.id ? "earlier message" : "later message"]),
    ];
    return place.length === 0 ? outcome : `${outcome} (${place.join(", ")})`;
  }

  /** @param isConfirmed false asks first where an answer would be lost */
  async regenerate(isConfirmed: boolean): Promise<string | undefined> {
    const { entries } = this.#state;
    const last = lastQuestion(entries);
    if (last === undefined) return "Nothing to regenerate.";
    const { before, question } = last;
    const isLosing = entries
      .slice(before.length)
      .some((entry) => entry.kind === "assistant" && entry.text !== "");
    if (isLosing && !isConfirmed) {
      const asked = shortText(question.typed ?? question.text);
      if (!(await this.#chat.frame.confirm(`Regenerate? The answer to "${asked}" is lost.`)))
        return;
    }
    this.stopReading();
    // The promise never fails: the state tells how the answer ends.
    void this.#chat.session.askAgain(question, before);
  }

  /** Puts the last question into the field; the next message replaces it. */
  editLast(): string | undefined {
    const last = lastQuestion(this.#state.entries);
    if (last === undefined) return "No message to edit.";
    const { question } = last;
    const { editor } = this.#state;
    // The text in the field becomes an entry of the history.
    const emptied = editor.text === "" ? editor : reduceEditor(editor, { type: "shelve" });
    const text = question.typed ?? question.text;
    this.#update({
      editor: reduceEditor(emptied, { type: "replace", text }),
      editingId: question.id,
      selectedId: undefined,
    });
  }

  cancelEditing(): undefined {
    const editor = reduceEditor(this.#state.editor, { type: "shelve" });
    this.#update({ editor, editingId: undefined });
  }

  /** Continues in a copy of the chat that ends here. */
  async forkHere(): Promise<string | undefined> {
    const { actions } = this.#chat;
    const { selectedId, entries } = this.#state;
    const at = entries.findIndex(({ id }) => id === selectedId);
    const outcome = await actions.fork(undefined);
    if (at !== -1) this.#update({ entries: entries.slice(0, at + 1), contextTokens: undefined });
    actions.record();
    this.stopReading();
    return outcome;
  }

  async page(): Promise<string | undefined> {
    if (this.#state.entries.length === 0) return "No messages yet.";
    await this.#chat.frame.page(toMarkdown(this.#chat.actions.exported));
  }

  get #state(): ChatState {
    return this.#chat.store.get();
  }

  #update(change: Partial<ChatState>): void {
    this.#chat.store.update(change);
  }

  #replace(entry: Message, changed: Message): void {
    const entries = this.#state.entries.map((each) => (each === entry ? changed : each));
    this.#update({ entries });
  }

  /** Returns the current transcript and the number of its rows. */
  #transcript() {
    const room = this.#chat.size();
    const rows = chatLayout(this.#state, room).transcriptRows;
    const transcript = layOutTranscript(this.#chat, this.#state, transcriptWidth(room.columns));
    return { transcript, rows };
  }

  get #messages(): readonly Message[] {
    return this.#state.entries.filter(isMessage);
  }

  get #selected(): Message | undefined {
    return this.#messages.find(({ id }) => id === this.#state.selectedId);
  }

  /** Returns the code blocks of this message, or of the nearest one with code. */
  #nearestCode({ id }: Message) {
    const messages = this.#messages;
    const at = messages.findIndex((message) => message.id === id);
    for (let distance = 0; distance < messages.length; distance += 1) {
      for (const message of [messages[at - distance], messages[at + distance]]) {
        const pieces = message === undefined ? [] : codePieces(message.text);
        if (message !== undefined && pieces.length > 0) return { id: message.id, pieces };
      }
    }
    return undefined;
  }

  #selectEntry(selectedId: number): void {
    const { transcript, rows } = this.#transcript();
    const viewport = reveal(this.#state.viewport, selectedId, transcript, rows);
    this.#update({ selectedId, viewport });
  }
}

function isMessage(entry: TranscriptEntry): entry is Message {
  return entry.kind === "user" || entry.kind === "assistant";
}
