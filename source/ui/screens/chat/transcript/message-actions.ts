// Actions on messages: scrolling, walking through them, copying, folding, asking again, forking.

import { reduceEditor } from "../../../editor/editor-reducer.ts";
import type { BodySize, FrameServices } from "../../../frame/screen.ts";
import { codePieces } from "../../../markdown/markdown-layout.ts";
import { chatLayout, transcriptWidth } from "../chat-layout.ts";
import type { ChatState } from "../chat-state.ts";
import { type ChatView, transcriptRows } from "../chat-view.ts";
import type { MessageControl } from "../commands/command.ts";
import type { ChatActions } from "../conversation/chat-actions.ts";
import type { ChatSession } from "../conversation/chat-session.ts";
import { toMarkdown } from "../conversation/export-conversation.ts";
import {
  type AssistantEntry,
  lastQuestion,
  type TranscriptEntry,
  type UserEntry,
} from "../conversation/transcript-entry.ts";
import { reveal, type ScrollRequest, scroll } from "./transcript-window.ts";

export interface MessageActionsOptions {
  readonly view: ChatView;
  readonly session: ChatSession;
  readonly actions: ChatActions;
  readonly frame: Pick<FrameServices, "copy" | "page">;
  /** The room of the conversation. */
  readonly size: () => BodySize;
}

type Message = UserEntry | AssistantEntry;

export class MessageActions implements MessageControl {
  readonly #options: MessageActionsOptions;
  /** The block of code that was copied last. */
  #copied: { readonly id: number; readonly block: number } | undefined;

  constructor(options: MessageActionsOptions) {
    this.#options = options;
  }

  scroll(request: ScrollRequest): void {
    const { transcript, rows } = this.#transcript();
    this.#update({ viewport: scroll(this.#state.viewport, request, transcript, rows) });
  }

  startReading(): string | undefined {
    const last = this.#messages.at(-1);
    if (last === undefined) return "There is no message yet.";
    this.#selectEntry(last.id);
    return undefined;
  }

  stopReading(): void {
    this.#update({ selectedId: undefined });
  }

  select(direction: -1 | 1): void {
    const messages = this.#messages;
    const at = messages.findIndex(({ id }) => id === this.#state.selectedId);
    const next = at === -1 ? messages.at(-1) : messages[at + direction];
    if (next !== undefined) this.#selectEntry(next.id);
    // Below the last message the field is.
    else if (direction === 1) this.stopReading();
  }

  toggleThinking(): string | undefined {
    const entry = this.#selected;
    if (entry?.kind !== "assistant" || entry.thinking === undefined) {
      return "Nothing was thought here.";
    }
    const changed = { ...entry, isThinkingOpen: entry.isThinkingOpen !== true };
    const entries = this.#state.entries.map((each) => (each === entry ? changed : each));
    this.#update({ entries });
    return undefined;
  }

  /** @returns how it went */
  async copyMessage(): Promise<string | undefined> {
    const entry = this.#selected;
    return entry === undefined ? undefined : await this.#options.frame.copy(entry.text);
  }

  async copyCode(): Promise<string | undefined> {
    const entry = this.#selected;
    if (entry === undefined) return undefined;
    const pieces = codePieces(entry.text);
    if (pieces.length === 0) return "There is no code in this message.";
    const block = this.#copied?.id === entry.id ? (this.#copied.block + 1) % pieces.length : 0;
    this.#copied = { id: entry.id, block };
    const outcome = await this.#options.frame.copy(pieces[block]?.code ?? "");
    return pieces.length === 1 ? outcome : `${outcome} (block ${block + 1} of ${pieces.length})`;
  }

  regenerate(): string | undefined {
    const last = lastQuestion(this.#state.entries);
    if (last === undefined) return "There is no question to answer again.";
    this.stopReading();
    // How the answer ends is in the state; the promise itself never fails.
    void this.#options.session.askAgain(last.question, last.before);
    return undefined;
  }

  editLast(): string | undefined {
    const last = lastQuestion(this.#state.entries);
    if (last === undefined) return "There is no question to write anew.";
    const { question } = last;
    const { editor } = this.#state;
    // What is in the field is kept, as an entry of the history.
    const emptied = editor.text === "" ? editor : reduceEditor(editor, { type: "shelve" });
    const text = question.typed ?? question.text;
    this.#update({
      editor: reduceEditor(emptied, { type: "replace", text }),
      editingId: question.id,
      selectedId: undefined,
    });
    return undefined;
  }

  cancelEditing(): void {
    const editor = reduceEditor(this.#state.editor, { type: "shelve" });
    this.#update({ editor, editingId: undefined });
  }

  /** The chat stays as it is; what follows goes into a copy that ends here. */
  async forkHere(): Promise<string | undefined> {
    const { actions } = this.#options;
    const { selectedId, entries } = this.#state;
    const at = entries.findIndex(({ id }) => id === selectedId);
    const outcome = await actions.fork(undefined);
    if (at !== -1) this.#update({ entries: entries.slice(0, at + 1), contextTokens: undefined });
    actions.record();
    this.stopReading();
    return outcome;
  }

  async page(): Promise<string | undefined> {
    const { entries, settings } = this.#state;
    if (entries.length === 0) return "There is no message yet.";
    const { chatName, modelName } = this.#options.actions;
    const chat = { name: chatName, model: modelName, settings, entries };
    await this.#options.frame.page(toMarkdown(chat));
    return undefined;
  }

  get #state(): ChatState {
    return this.#options.view.store.get();
  }

  #update(change: Partial<ChatState>): void {
    this.#options.view.store.update(change);
  }

  /** The transcript as it is shown now, and the rows that there are for it. */
  #transcript() {
    const { view, size } = this.#options;
    const room = size();
    const rows = chatLayout(this.#state, room, view.glyphs).transcriptRows;
    const transcript = transcriptRows(view, this.#state, transcriptWidth(room.columns));
    return { transcript, rows };
  }

  get #messages(): readonly Message[] {
    return this.#state.entries.filter(isMessage);
  }

  get #selected(): Message | undefined {
    return this.#messages.find(({ id }) => id === this.#state.selectedId);
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
