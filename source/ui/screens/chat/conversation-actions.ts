// Actions on the conversation: stopping, leaving, clearing, resuming another one.

import { describeError } from "../../../base/product-error.ts";
import { plural } from "../../../base/quantities.ts";
import { quitNotice } from "../../../chat/commands/slash-commands.ts";
import { conversationOf } from "../../../chat/conversation/transcript-entry.ts";
import type { ChatContext } from "./chat-context.ts";
import type { ChatState } from "./chat-state.ts";
import { chooseSession } from "./choose-session.ts";
import { edit } from "./composer/composer-actions.ts";
import { emptyQueue } from "./composer/message-queue.ts";
import { editLast } from "./transcript/message-actions.ts";
import { followTail } from "./transcript/transcript-window.ts";

/** A second press within this time counts: Ctrl+C quits, Esc edits the last question. */
const secondPressMs = 2000;

/** View of a new conversation. */
const freshView: Partial<ChatState> = {
  figures: undefined,
  contextTokens: undefined,
  viewport: followTail,
  selectedId: undefined,
  editingId: undefined,
  waitingImages: [],
  queue: emptyQueue,
};

/** Clears the notice, since a key has been pressed. */
export function clearNotice({ store, state }: ChatContext): undefined {
  if (state.notice !== undefined) store.update({ notice: undefined });
}

export function stop({ session, notify }: ChatContext): undefined {
  const isBegun = session.hasContent;
  session.stop();
  if (!isBegun) notify("Stopped before the answer began; message restored");
}

export function answerNow({ session }: ChatContext): undefined {
  session.answerNow();
}

export function interrupt(chat: ChatContext): undefined {
  const { clock, frame, session } = chat;
  const nowMs = clock.now();
  const isSecond = nowMs - chat.interruptedAtMs <= secondPressMs;
  chat.interruptedAtMs = nowMs;
  if (isSecond) {
    frame.leave("interrupted");
    return;
  }
  if (session.isBusy) stop(chat);
  // Up restores the dropped line.
  else if (chat.state.editor.text !== "") edit(chat, { type: "shelve" });
  chat.notify(quitNotice);
}

export function pressEscape(chat: ChatContext): undefined {
  const nowMs = chat.clock.now();
  const isSecond = nowMs - chat.escapedAtMs <= secondPressMs;
  chat.escapedAtMs = isSecond ? -Infinity : nowMs;
  if (!isSecond) return chat.notify("Esc again to edit the last message");
  const sentence = editLast(chat);
  if (sentence !== undefined) chat.warn(sentence);
}

/** Starts a new chat. @param name undefined: it is named after its first message */
export function clear(chat: ChatContext, name?: string): undefined {
  const unsent = unsentText(chat.state);
  chat.store.update({ ...freshView, entries: [] });
  chat.notify([chat.actions.clear(name), unsent].filter(Boolean).join(" "));
}

/** Lets the user choose a saved chat that contains the words, and resumes it. */
export async function resumeChosen(chat: ChatContext, words: string): Promise<string | undefined> {
  const { actions, clock, frame } = chat;
  const sessions = await actions.sessions(words);
  if (sessions.length === 0) {
    return words === "" ? "No saved chats." : `No saved chat contains '${words}'.`;
  }
  const saved = {
    search: (typed: string) => actions.sessions(`${words} ${typed}`),
    remove: (id: string) => actions.removeSession(id),
  };
  const chosen = await chooseSession(sessions, saved, frame, clock);
  return chosen === undefined ? undefined : await resume(chat, chosen);
}

/** Resumes a saved chat where it belongs. */
export async function resume(chat: ChatContext, reference: string): Promise<undefined> {
  const head = await chat.actions.findSession(reference);
  const isElsewhere = !chat.actions.belongsHere(head) && (await chat.goElsewhere?.(head)) === true;
  if (!isElsewhere) await resumeHere(chat, head.id);
}

export async function resumeHere(chat: ChatContext, reference: string): Promise<void> {
  const sentence = await chat.actions.openSession(reference);
  const unsent = unsentText(chat.state);
  chat.store.update(freshView);
  chat.notify([sentence, unsent].filter(Boolean).join(" "));
  void countContext(chat);
}

/** Switches to a model that was chosen outside the chat. */
export function switchModel(chat: ChatContext, model: string): undefined {
  const { backend, session, actions, typed, warn } = chat;
  if (model === backend.facts.name) return;
  if (session.isBusy) return warn(`Still answering: wait, then use /model ${model}`);
  void actions.switchModel(model).then(
    (sentence) => typed.print(sentence),
    (error: unknown) => warn(describeError(error)),
  );
}

/** Reads the saved chats; a list that cannot be read leaves the pane unchanged. */
export async function listSaved({ recorder, store }: ChatContext): Promise<void> {
  const list = await recorder?.store.list().catch(() => undefined);
  if (list !== undefined) store.update({ saved: list.sessions });
}

/** Returns a notice about queued messages, which are not sent but kept in the history. */
function unsentText({ queue }: ChatState): string | undefined {
  const { length } = queue.messages;
  if (length === 0) return undefined;
  return `Not sent: ${plural(length, "queued message")}. Press Up to recall.`;
}

/** Counts the conversation's tokens on the server if unknown; a failure leaves them unknown. */
async function countContext(chat: ChatContext): Promise<void> {
  const { entries, settings } = chat.state;
  const messages = conversationOf(entries);
  if (messages.length === 0) return;
  const counted = chat.backend.countTokens(messages, settings);
  const contextTokens = await counted.catch(() => undefined);
  if (chat.state.entries === entries) chat.store.update({ contextTokens });
}
