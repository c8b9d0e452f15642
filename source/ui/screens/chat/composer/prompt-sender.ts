// Sends typed messages to the model: finds, checks and counts their images, and queues them while
// an answer runs. A message that cannot be sent stays in the field.

import { describeError } from "../../../../base/product-error.ts";
import {
  attachWithPictures,
  type PromptWithImages,
} from "../../../../chat/conversation/attach-prompt.ts";
import type {
  AnswerState,
  EntryImage,
  TranscriptEntry,
} from "../../../../chat/conversation/transcript-entry.ts";
import type { SessionFile } from "../../../../chat/sessions/session.ts";
import {
  imageArgument,
  mayAttach,
  tooManyText,
} from "../../../../client/attachments/attach-images.ts";
import { attachedText } from "../../../../client/attachments/read-image-file.ts";
import {
  mayAttachTexts,
  readTextFiles,
  type TextFile,
  type TextFiles,
  textBlock,
  withTexts,
} from "../../../../client/attachments/text-files.ts";
import { reduceEditor } from "../../../editor/editor-reducer.ts";
import type { ChatState } from "../chat-state.ts";
import type { ChatParts } from "../chat-view.ts";
import { readResources, resourceMentions, withoutMentions } from "../tools/resource-mentions.ts";
import { dequeue, type PreparedMessage } from "./message-queue.ts";

/** Longer prompts are not kept in the history. */
const longestHistoryEntry = 64 * 1024;
const noTexts: TextFiles = { files: [], missing: [] };

export class PromptSender {
  readonly #chat: ChatParts;
  /** A message refused because of an image path: sent again, it goes without the image. */
  #heldBack: string | undefined;

  constructor(chat: ChatParts) {
    this.#chat = chat;
  }

  /** Clears the field, and adds its text to the history. */
  shelve(typed: string): void {
    const { store, historyFile } = this.#chat;
    const { editor, settings } = this.#state;
    const shelved = reduceEditor(editor, { type: "shelve" });
    store.update({ editor: shelved, editingId: undefined, menu: undefined });
    if (settings.keepsHistory === false || typed.length > longestHistoryEntry) return;
    historyFile?.append(typed).catch((error: unknown) => {
      this.#chat.warn(`Cannot save the prompt history: ${describeError(error)}`);
    });
  }

  /** @param typed text of the field, to restore it */
  send(text: string, typed: string): void {
    if (this.#state.isAttaching) return;
    if (this.#chat.session.isBusy && this.#state.editingId !== undefined) {
      this.#chat.warn("Still answering: wait or press Esc, then send the edit");
      return;
    }
    const isConfirmed = this.#heldBack === typed && imageArgument(text) === undefined;
    this.#heldBack = undefined;
    if (!mayAttach(text) && !mayAttachTexts(text)) {
      this.#submit(text, typed, this.#state.waitingImages);
      return;
    }
    const { store } = this.#chat;
    store.update({ isAttaching: true });
    void this.#attachAndSend(text, typed, isConfirmed).catch((error: unknown) => {
      store.update({ isAttaching: false });
      this.#chat.warn(describeError(error));
    });
  }

  /** Sends the next message of the queue, or holds the queue after an interrupted answer. */
  answerEnded(state: AnswerState): void {
    const { queue } = this.#state;
    if (queue.messages.length === 0 || queue.isHeld) return;
    if (state === "complete" || state === "limit") this.sendNext();
    else this.#chat.store.update({ queue: { ...queue, isHeld: true } });
  }

  /** Sends the first message of the queue unless an answer runs. */
  sendNext(): void {
    const { queue, entries } = this.#state;
    const [message] = queue.messages;
    if (message === undefined || this.#chat.session.isBusy) return;
    const rest = dequeue(queue, 0);
    this.#chat.store.update({ queue: { ...rest, isHeld: false } });
    this.#ask(message, entries);
  }

  /** Puts the last message of the queue into the field, with the images that waited for it. */
  takeBack(): undefined {
    const { queue, editor, waitingImages } = this.#state;
    const message = queue.messages.at(-1);
    if (message === undefined) return;
    this.#chat.store.update({
      queue: dequeue(queue, -1),
      editor: reduceEditor(editor, { type: "replace", text: message.typed }),
      waitingImages: [...message.waiting, ...waitingImages],
    });
  }

  get #state(): ChatState {
    return this.#chat.store.get();
  }

  /** @throws ProductError `ATTACHMENT_...`, and errors of the server */
  async #attachAndSend(text: string, typed: string, isConfirmed: boolean): Promise<void> {
    const { backend, actions, store, tools } = this.#chat;
    const canSee = mayAttach(text) ? await backend.sees() : true;
    const { folder } = actions;
    const attached = await attachWithPictures(text, { folder, takesBareNames: canSee });
    // The text after /image is its question: nothing else is attached with it.
    const isCommand = imageArgument(text) !== undefined;
    const mentions = isCommand ? [] : resourceMentions(text, tools);
    const texts = isCommand
      ? noTexts
      : await readTextFiles(withoutMentions(text, mentions), folder);
    const files = [...texts.files, ...(await readResources(mentions, tools))];
    store.update({ isAttaching: false });
    const all = { ...attached, missing: [...attached.missing, ...texts.missing] };
    const problem = isConfirmed ? undefined : attachmentProblem(all, backend, canSee);
    if (problem !== undefined) {
      const again = isCommand ? "" : " Press Enter again to send only the text.";
      this.#heldBack = typed;
      this.#chat.warn(problem + again);
      return;
    }
    // The text has changed meanwhile, so it is not the message to send.
    if (this.#state.editor.text !== typed) return;
    if (!canSee) {
      this.#submit(text, typed, [], files);
      return;
    }
    const { images } = attached;
    const shown = [...this.#state.waitingImages, ...images];
    if (attached.text === "" && images.length > 0) {
      const { editingId } = this.#state;
      this.shelve(typed);
      store.update({ waitingImages: shown, editingId });
      const names = images.map((image) => attachedText(image)).join(", ");
      const text = `${names}: now write your message`;
      store.update({ notice: { text, isWarning: false } });
      return;
    }
    this.#submit(attached.text, typed, shown, files);
  }

  #submit(
    prompt: string,
    typed: string,
    images: readonly EntryImage[],
    files: readonly TextFile[] = [],
  ): void {
    const { session, store } = this.#chat;
    const { editingId, entries, waitingImages: waiting, queue } = this.#state;
    const message: PreparedMessage = { prompt, typed, images, waiting, files };
    this.shelve(typed);
    store.update({ waitingImages: [] });
    if (session.isBusy) {
      store.update({ queue: { ...queue, messages: [...queue.messages, message] } });
      return;
    }
    const at = entries.findIndex(({ id }) => id === editingId);
    this.#ask(message, at === -1 ? entries : entries.slice(0, at));
  }

  #ask(message: PreparedMessage, after: readonly TranscriptEntry[]): void {
    const { prompt, typed, images, waiting, files } = message;
    const named = files.map(({ name }) => ({ name }));
    const question = { text: withTexts(prompt, files), typed, waiting, images, files: named };
    // The promise never fails: the state tells how the answer ends.
    void this.#chat.session.send(question, after);
    for (const image of images) void this.#count(image);
    const asked = this.#state.entries.at(-2);
    if (files.length > 0 && asked !== undefined) void this.#countTexts(asked.id, files);
  }

  /** Adds the token counts of attached texts to the transcript, if they can be counted. */
  async #countTexts(id: number, files: readonly TextFile[]): Promise<void> {
    const { backend, store } = this.#chat;
    const { settings } = this.#state;
    const tokensOf = (content: string) =>
      backend.countTokens([{ role: "user", content }], settings);
    const counted: SessionFile[] = [];
    try {
      // The template's share is in both counts.
      const without = await tokensOf(".");
      for (const file of files) {
        counted.push({
          name: file.name,
          tokens: (await tokensOf(`.${textBlock(file)}`)) - without,
        });
      }
    } catch {
      return;
    }
    const entries = this.#state.entries.map(
      (entry): TranscriptEntry =>
        entry.id === id && entry.kind === "user" ? { ...entry, files: counted } : entry,
    );
    store.update({ entries });
  }

  /** Adds the image's token count to the transcript, if it can be counted. */
  async #count(image: EntryImage): Promise<void> {
    if (image.tokens !== undefined) return;
    const { backend, store } = this.#chat;
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

/** A reason to hold the message back until it is sent again. */
function attachmentProblem(
  { images, missing, tooMany }: PromptWithImages,
  { facts }: ChatParts["backend"],
  canSee: boolean,
): string | undefined {
  if (!canSee) {
    if (images.length === 0) return undefined;
    const names = images.map(({ name }) => name).join(", ");
    return `"${facts.name}" does not support images: ${names} was not sent.`;
  }
  if (tooMany !== undefined) return tooManyText(tooMany);
  return missing.length > 0 ? `Not found: ${missing.join(", ")}.` : undefined;
}
