// The Chat screen: a conversation with a model of this machine, or with a deployment.

import { memo } from "react";
import { describeError } from "../../../base/product-error.ts";
import type { ChatOptions } from "../../../chat/chat-backend.ts";
import { storedEntries, wholeConversationOf } from "../../../chat/conversation/transcript-entry.ts";
import { openPromptHistory } from "../../../chat/prompt-history.ts";
import type { ServerWatch } from "../../../client/live/server-watch.ts";
import type { BodySize, ScreenContext } from "../../frame/screen.ts";
import { ChatBody } from "./chat-body.tsx";
import type { ChatContext } from "./chat-context.ts";
import type { PlacedChat } from "./chat-places.tsx";
import { spokenChat } from "./chat-speech.ts";
import { modeOf } from "./chat-state.ts";
import { boundCommands } from "./commands/command-table.ts";
import { insert } from "./composer/composer-actions.ts";
import { clearNotice, listSaved, resumeHere, switchModel } from "./conversation-actions.ts";
import { createChat } from "./create-chat.ts";
import { Scrollback } from "./inline-chat.tsx";
import { activityText } from "./status-text.ts";

/**
 * Opens a chat with what the options name: a saved chat, stored messages, or models to begin with.
 *
 * @param watch the server; undefined for a deployment
 */
export async function chatScreen(
  options: ChatOptions,
  context: ScreenContext,
  watch?: ServerWatch,
): Promise<PlacedChat> {
  const { historyFile, session } = options;
  const history = await openPromptHistory(historyFile);
  const chat = createChat(options, context, history, watch);
  const { recorder } = chat;
  if (historyFile !== undefined && history.file === undefined) {
    chat.warn(`Cannot read the prompt history ${historyFile}; starting without it`);
  }
  const stored = showStored(chat, options);
  if (session !== undefined) {
    await stored;
    if ("name" in session) recorder?.startNew(session.name);
    else if (recorder !== undefined) await resumeHere(chat, session.id);
  }
  offerModels(chat);
  return screenOf(chat, watch);
}

function screenOf(chat: ChatContext, watch: ServerWatch | undefined): PlacedChat {
  const { store, backend, recorder } = chat;
  const commands = boundCommands(chat);
  const type = (text: string) => {
    clearNotice(chat);
    // A later Ctrl+C or Esc is a first press again.
    chat.interruptedAtMs = -Infinity;
    chat.escapedAtMs = -Infinity;
    insert(chat, text);
  };
  return {
    id: "chat",
    title: "Chat",
    Body: memo((size: BodySize) => <ChatBody chat={chat} {...size} />),
    Scrollback: memo((room: { readonly columns: number }) => <Scrollback chat={chat} {...room} />),
    commands: () => commands,
    isTyping: () => ["writing", "searching"].includes(modeOf(chat.state)),
    type,
    paste: type,
    status: () => {
      const { activity } = chat.state;
      return activity === undefined ? backend.facts.name : activityText(activity, backend.facts);
    },
    serverLabel: () => backend.serverLabel(),
    spoken: () => spokenChat(chat),
    subscribe: store.subscribe,
    /** Other screens pass a model to chat with. */
    accept: (model) => switchModel(chat, model),
    resume: async ({ id, name }) => {
      if (recorder?.head?.id === id) return;
      if (chat.session.isBusy) chat.warn(`Still answering: wait, then open '${name}'`);
      else await resumeHere(chat, id);
    },
    notify: chat.warn,
    get transcript() {
      return wholeConversationOf(chat.state.entries);
    },
    get saved() {
      return recorder?.head;
    },
    activate: () => {
      chat.isActive = true;
      watch?.start();
      void listSaved(chat);
    },
    // An answer continues while another screen is in front.
    deactivate: () => {
      chat.isActive = false;
    },
    close: () => close(chat),
  };
}

/** Adds the messages stored with the model once they are loaded. */
async function showStored(chat: ChatContext, { messages, backend }: ChatOptions): Promise<void> {
  if (messages === undefined) return;
  const { name } = backend.facts;
  try {
    const stored = storedEntries(await messages);
    // They belong to a model that is no longer in use.
    if (backend.facts.name !== name || stored.length === 0) return;
    chat.store.update({ entries: [...stored, ...chat.state.entries] });
  } catch (error) {
    chat.warn(`Cannot show the messages stored with ${name}: ${describeError(error)}`);
  }
}

function offerModels({ firstModels, state }: ChatContext): void {
  if (state.entries.length === 0) firstModels?.open();
}

/** Text that was typed and not sent can be restored with Up next time. */
async function close(chat: ChatContext): Promise<void> {
  const { historyFile } = chat;
  chat.session.stop();
  chat.firstModels?.close();
  const { editor, settings } = chat.state;
  const isDraft = editor.text.trim() !== "" && settings.keepsHistory !== false;
  // The screen is gone: a failure cannot be shown.
  if (isDraft) await historyFile?.append(editor.text).catch(() => {});
  await chat.recorder?.settled();
  await historyFile?.settled();
}
