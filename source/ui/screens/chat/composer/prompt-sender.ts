// The way of a typed message to the model: its images are found, looked at and counted. What cannot
// be sent stays in the field.

import { describeError } from "../../../../base/product-error.ts";
import { mayAttach, tooManyText } from "../../../../client/attachments/attach-images.ts";
import { imageArgument } from "../../../../client/attachments/image-command.ts";
import { attachedText } from "../../../../client/attachments/read-image-file.ts";
import type { Store } from "../../../hooks/store.ts";
import type { ChatBackend } from "../chat-backend.ts";
import type { ChatState } from "../chat-state.ts";
import type { ChatSession } from "../conversation/chat-session.ts";
import type { EntryImage, TranscriptEntry } from "../conversation/transcript-entry.ts";
import { attachWithPictures } from "./attach-prompt.ts";

export interface PromptSenderOptions {
  readonly store: Store<ChatState>;
  readonly session: ChatSession;
  readonly backend: ChatBackend;
  /** What relative paths start from. */
  readonly folder: string;
  /** Empties the field, and keeps what was typed in the history. */
  readonly shelve: (typed: string) => void;
  readonly notify: (sentence: string) => void;
}

export class PromptSender {
  readonly #options: PromptSenderOptions;
  /** A message that was held back for a path: sent again, it goes without. */
  #heldBack: string | undefined;

  constructor(options: PromptSenderOptions) {
    this.#options = options;
  }

  /** @param typed what is in the field, for the way back into it */
  send(text: string, typed: string): void {
    if (this.#state.isAttaching) return;
    const isConfirmed = this.#heldBack === typed && imageArgument(text) === undefined;
    this.#heldBack = undefined;
    if (!mayAttach(text)) {
      this.#submit(text, typed, this.#state.waitingImages);
      return;
    }
    this.#options.store.update({ isAttaching: true });
    void this.#attachAndSend(text, typed, isConfirmed).catch((error: unknown) => {
      this.#options.store.update({ isAttaching: false });
      this.#options.notify(describeError(error));
    });
  }

  get #state(): ChatState {
    return this.#options.store.get();
  }

  /** @throws ProductError `ATTACHMENT_...`, and what the server says */
  async #attachAndSend(text: string, typed: string, isConfirmed: boolean): Promise<void> {
    const { backend, folder, store, notify, shelve } = this.#options;
    const canSee = await backend.sees();
    const attached = await attachWithPictures(text, { folder, takesBareNames: canSee });
    store.update({ isAttaching: false });
    const { images, missing, tooMany } = attached;
    const again = imageArgument(text) === undefined ? " Enter again sends the text without." : "";
    if (images.length > 0 && !canSee && !isConfirmed) {
      const names = images.map(({ name }) => name).join(", ");
      this.#heldBack = typed;
      notify(`"${backend.facts.name}" does not support images: ${names} was not sent.${again}`);
      return;
    }
    if (tooMany !== undefined && canSee && !isConfirmed) {
      this.#heldBack = typed;
      notify(`${tooManyText(tooMany)}${again}`);
      return;
    }
    if (missing.length > 0 && canSee && !isConfirmed) {
      this.#heldBack = typed;
      notify(`not found: ${missing.join(", ")}.${again}`);
      return;
    }
    // Somebody typed on meanwhile: that is not what was to be sent.
    if (this.#state.editor.text !== typed) return;
    if (!canSee) {
      this.#submit(text, typed, []);
      return;
    }
    const all = [...this.#state.waitingImages, ...images];
    if (attached.text === "" && images.length > 0) {
      shelve(typed);
      store.update({ waitingImages: all });
      notify(`${images.map((image) => attachedText(image)).join(", ")}: now write your question`);
      return;
    }
    this.#submit(attached.text, typed, all);
  }

  #submit(text: string, typed: string, images: readonly EntryImage[]): void {
    const { session, shelve, store } = this.#options;
    const { editingId, entries, waitingImages: waiting } = this.#state;
    const at = entries.findIndex(({ id }) => id === editingId);
    const after = at === -1 ? entries : entries.slice(0, at);
    shelve(typed);
    store.update({ waitingImages: [], editingId: undefined });
    // How the answer ends is in the state; the promise itself never fails.
    void session.send({ text, typed, waiting, ...(images.length > 0 && { images }) }, after);
    for (const image of images) void this.#count(image);
  }

  /** Brings the image's tokens into the transcript; without a count it says less. */
  async #count(image: EntryImage): Promise<void> {
    if (image.tokens !== undefined) return;
    const { backend, store } = this.#options;
    const { settings } = this.#state;
    const tokens = await backend.imageTokens(image.base64, settings).catch(() => undefined);
    if (tokens === undefined) return;
    const entries = this.#state.entries.map((entry): TranscriptEntry => {
      if (entry.kind !== "user" || !entry.images?.includes(image)) return entry;
      const images = entry.images.map((each) => (each === image ? { ...each, tokens } : each));
      return { ...entry, images };
    });
    store.update({ entries });
  }
}
