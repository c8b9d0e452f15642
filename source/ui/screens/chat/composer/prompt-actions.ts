// Sends typed messages to the model: finds, checks and counts their images, and queues them while
// an answer runs. A message that cannot be sent stays in the field.

import { describeError } from "../../../../base/product-error.ts";
import {
  type AttachedMessage,
  attachToMessage,
  namesAttachments,
} from "../../../../chat/conversation/attach-prompt.ts";
import type {
  AnswerState,
  EntryImage,
  TranscriptEntry,
  UserEntry,
} from "../../../../chat/conversation/transcript-entry.ts";
import type { SessionFile } from "../../../../chat/sessions/session.ts";
import { imageArgument, tooManyText } from "../../../../client/attachments/attach-images.ts";
import { attachedText } from "../../../../client/attachments/read-image-file.ts";
import { type TextFile, textBlock, withTexts } from "../../../../client/attachments/text-files.ts";
import { reduceEditor } from "../../../editor/editor-reducer.ts";
import type { ChatContext } from "../chat-context.ts";
import { dequeue, type PreparedMessage } from "./message-queue.ts";

/** Longer prompts are not kept in the history. */
const longestHistoryEntry = 64 * 1024;

/** Clears the field, and adds its text to the history. */
export function shelve({ store, state, historyFile, warn }: ChatContext, typed: string): undefined {
  const { editor, settings } = state;
  const shelved = reduceEditor(editor, { type: "shelve" });
  store.update({ editor: shelved, editingId: undefined, menu: undefined });
  if (settings.keepsHistory === false || typed.length > longestHistoryEntry) return;
  historyFile?.append(typed).catch((error: unknown) => {
    warn(`Cannot save the prompt history: ${describeError(error)}`);
  });
}

/** @param typed text of the field, to restore it */
export function send(chat: ChatContext, text: string, typed: string): undefined {
  const { state, store } = chat;
  if (state.isAttaching) return;
  if (chat.session.isBusy && state.editingId !== undefined) {
    return chat.warn("Still answering: wait or press Esc, then send the edit");
  }
  const isConfirmed = chat.heldBack === typed && imageArgument(text) === undefined;
  chat.heldBack = undefined;
  if (!namesAttachments(text)) return submit(chat, text, typed, state.waitingImages);
  store.update({ isAttaching: true });
  void attachAndSend(chat, text, typed, isConfirmed).catch((error: unknown) => {
    store.update({ isAttaching: false });
    chat.warn(describeError(error));
  });
}

/** Sends the next message of the queue, or holds the queue after an interrupted answer. */
export function answerEnded(chat: ChatContext, end: AnswerState): undefined {
  const { queue } = chat.state;
  if (queue.messages.length === 0 || queue.isHeld) return;
  if (end === "complete" || end === "limit") return sendNext(chat);
  chat.store.update({ queue: { ...queue, isHeld: true } });
}

/** Sends the first message of the queue unless an answer runs. */
export function sendNext(chat: ChatContext): undefined {
  const { queue, entries } = chat.state;
  const [message] = queue.messages;
  if (message === undefined || chat.session.isBusy) return;
  const rest = dequeue(queue, 0);
  chat.store.update({ queue: { ...rest, isHeld: false } });
  ask(chat, message, entries);
}

/** Puts the last message of the queue into the field, with the images that waited for it. */
export function takeBack({ store, state }: ChatContext): undefined {
  const { queue, editor, waitingImages } = state;
  const message = queue.messages.at(-1);
  if (message === undefined) return;
  store.update({
    queue: dequeue(queue, -1),
    editor: reduceEditor(editor, { type: "replace", text: message.typed }),
    waitingImages: [...message.waiting, ...waitingImages],
  });
}

/** @throws ProductError `ATTACHMENT_...`, and errors of the server */
async function attachAndSend(
  chat: ChatContext,
  text: string,
  typed: string,
  isConfirmed: boolean,
): Promise<void> {
  const { backend, actions, store, tools } = chat;
  const attached = await attachToMessage(text, { backend, tools, folder: actions.folder });
  const { files, canSee } = attached;
  store.update({ isAttaching: false });
  const problem = isConfirmed ? undefined : attachmentProblem(attached, backend);
  if (problem !== undefined) {
    const isCommand = imageArgument(text) !== undefined;
    const again = isCommand ? "" : " Press Enter again to send only the text.";
    chat.heldBack = typed;
    chat.warn(problem + again);
    return;
  }
  // The text has changed meanwhile, so it is not the message to send.
  if (chat.state.editor.text !== typed) return;
  if (!canSee) return submit(chat, text, typed, [], files);
  const { images } = attached;
  const shown = [...chat.state.waitingImages, ...images];
  if (attached.text !== "" || images.length === 0) {
    return submit(chat, attached.text, typed, shown, files);
  }
  const { editingId } = chat.state;
  shelve(chat, typed);
  store.update({ waitingImages: shown, editingId });
  const names = images.map((image) => attachedText(image)).join(", ");
  chat.notify(`${names}: now write your message`);
}

function submit(
  chat: ChatContext,
  prompt: string,
  typed: string,
  images: readonly EntryImage[],
  files: readonly TextFile[] = [],
): undefined {
  const { session, store } = chat;
  const { editingId, entries, waitingImages: waiting, queue } = chat.state;
  const message: PreparedMessage = { prompt, typed, images, waiting, files };
  shelve(chat, typed);
  store.update({ waitingImages: [] });
  if (session.isBusy) {
    store.update({ queue: { ...queue, messages: [...queue.messages, message] } });
    return;
  }
  const at = entries.findIndex(({ id }) => id === editingId);
  ask(chat, message, at === -1 ? entries : entries.slice(0, at));
}

function ask(
  chat: ChatContext,
  { prompt, typed, images, waiting, files }: PreparedMessage,
  after: readonly TranscriptEntry[],
): void {
  const named = files.map(({ name }) => ({ name }));
  const question = { text: withTexts(prompt, files), typed, waiting, images, files: named };
  // The promise never fails: the state tells how the answer ends.
  void chat.session.send(question, after);
  for (const image of images) void countImage(chat, image);
  const asked = chat.state.entries.at(-2);
  if (files.length > 0 && asked !== undefined) void countTexts(chat, asked.id, files);
}

/** Adds the token counts of attached texts to the transcript, if they can be counted. */
async function countTexts(
  chat: ChatContext,
  id: number,
  files: readonly TextFile[],
): Promise<void> {
  const { settings } = chat.state;
  const tokensOf = (content: string) =>
    chat.backend.countTokens([{ role: "user", content }], settings);
  const counted: SessionFile[] = [];
  try {
    // The template's share is in both counts.
    const without = await tokensOf(".");
    for (const file of files) {
      const tokens = (await tokensOf(`.${textBlock(file)}`)) - without;
      counted.push({ name: file.name, tokens });
    }
  } catch {
    return;
  }
  changeQuestions(chat, (entry) => (entry.id === id ? { ...entry, files: counted } : entry));
}

/** Adds the image's token count to the transcript, if it can be counted. */
async function countImage(chat: ChatContext, image: EntryImage): Promise<void> {
  if (image.tokens !== undefined) return;
  const { settings } = chat.state;
  const tokens = await chat.backend.imageTokens(image.base64, settings).catch(() => undefined);
  if (tokens === undefined) return;
  changeQuestions(chat, (entry) => {
    if (!entry.images?.includes(image)) return entry;
    const images = entry.images.map((each) => (each === image ? { ...each, tokens } : each));
    return { ...entry, images };
  });
}

function changeQuestions(
  { store, state }: ChatContext,
  change: (entry: UserEntry) => UserEntry,
): void {
  const entries = state.entries.map((entry) => (entry.kind === "user" ? change(entry) : entry));
  store.update({ entries });
}

/** A reason to hold the message back until it is sent again. */
function attachmentProblem(
  { images, missing, missingTexts, tooMany, canSee }: AttachedMessage,
  { facts }: ChatContext["backend"],
): string | undefined {
  if (!canSee) {
    if (images.length === 0) return undefined;
    const names = images.map(({ name }) => name).join(", ");
    return `"${facts.name}" does not support images: ${names} was not sent.`;
  }
  if (tooMany !== undefined) return tooManyText(tooMany);
  const unknown = [...missing, ...missingTexts];
  return unknown.length > 0 ? `Not found: ${unknown.join(", ")}.` : undefined;
}
