// Opens the line chat, or asks one more question in a saved chat.
import path from "node:path";
import { systemClock } from "../base/clock.ts";
import { exitCodes } from "../base/product-error.ts";
import { ChatActions, type ChatDocument } from "../chat/chat-actions.ts";
import { storedEntries } from "../chat/conversation/transcript-entry.ts";
import { openPromptHistory } from "../chat/prompt-history.ts";
import { SessionRecorder } from "../chat/sessions/session-recorder.ts";
import { SessionStore } from "../chat/sessions/session-store.ts";
import { showModel } from "../client/chat-calls.ts";
import { formatStatistics } from "./answer-output.ts";
import { type CommandTools, openChatTools } from "./chat-tools.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { createHttpBackend, type HttpBackend, settingsOf } from "./http-backend.ts";
import { interruptible } from "./interruptible.ts";
import { leaveServer } from "./leave-server.ts";
import { LineAnswer } from "./line-answer.ts";
import { LineChat } from "./line-chat.ts";
import { findSession } from "./saved-chats.ts";
import { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";
import { describedModel } from "./show-sections.ts";

interface OpenedChat {
  actions: ChatActions;
  answer: LineAnswer;
  recorder: SessionRecorder;
}

interface OpenChatOptions {
  /** They begin the chat. */
  readonly entries: ChatDocument["entries"];
  readonly isKept: boolean;
  /** Reports a resumed chat. */
  readonly isTold: boolean;
  readonly tools: CommandTools | undefined;
}

export async function openLineChat(
  model: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<number> {
  const tools = await openChatTools(flags, settings);
  const link = await ServerLink.open(flags, settings, "hosted", model);
  try {
    await tools?.checkModel(link.client, model);
    const backend = await createHttpBackend(link, model, flags, tools);
    const shown = await showModel(link.client, model);
    const entries = storedEntries(shown.messages);
    // Piped input is not saved as a chat, unless a flag asks for it.
    const isChat = process.stdin.isTTY || flags.session !== undefined;
    const isKept = isChat && !settings.values.nohistory;
    const chat = await openChat(backend, flags, settings, {
      entries,
      isKept,
      isTold: true,
      tools,
    });
    const { is_guess: isBase, reason } = describedModel(shown).template_origin;
    if (isBase) tell(reason);
    showStored(entries);
    const history = await openPromptHistory(
      isKept ? path.join(settings.paths.state, "history") : undefined,
    );
    try {
      return await new LineChat({ ...chat, history, tools }).run();
    } finally {
      await chat.recorder.settled();
    }
  } finally {
    await tools?.set.close();
    await leaveServer(link, settings.values.shutdown_timeout);
  }
}

/**
 * Asks a question in the chat that --session names.
 *
 * @throws ProductError `COMMAND_USAGE` for an empty prompt, `SESSION_...`; errors of the client
 */
export async function continueSession(
  model: string,
  prompt: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<number> {
  if (prompt === "") {
    throw usageError(
      "--session needs a question.",
      'For example: modelctl run --session NAME tiny "And then?"',
    );
  }
  const tools = await openChatTools(flags, settings);
  const link = await ServerLink.open(flags, settings, "shared", model);
  try {
    await tools?.checkModel(link.client, model);
    const backend = await createHttpBackend(link, model, flags, tools);
    const options = { entries: [], isKept: true, isTold: false, tools };
    const { actions, answer, recorder } = await openChat(backend, flags, settings, options);
    // A named model wins over the chat's own.
    if (backend.facts.name !== model) await backend.use(model);
    try {
      const statistics = await interruptible((signal) => answer.ask(prompt, prompt, signal));
      if (flags.verbose && statistics !== undefined) {
        process.stderr.write(formatStatistics(statistics));
      }
      const isCancelled = statistics?.finishReason === "cancelled";
      return isCancelled ? exitCodes.interrupted : exitCodes.ok;
    } finally {
      actions.record();
      await recorder.settled();
    }
  } finally {
    await tools?.set.close();
    await link.close();
  }
}

/** Assembles a chat, resumed from the one that --session names. */
async function openChat(
  backend: HttpBackend,
  flags: Flags,
  settings: CommandSettings,
  options: OpenChatOptions,
): Promise<OpenedChat> {
  let document: ChatDocument = { entries: options.entries, settings: settingsOf(flags) };
  const read = () => document;
  const change = (part: Partial<ChatDocument>) => {
    document = { ...document, ...part };
  };
  const store = new SessionStore(settings.paths.state);
  const recorder = new SessionRecorder(store, systemClock, { tell });
  const folder = process.cwd();
  const keptBy = options.isKept ? recorder : undefined;
  const onNewChat = () => options.tools?.forgetChat();
  const actions = new ChatActions({ backend, recorder: keptBy, read, change, folder, onNewChat });
  const session = await findSession(store, flags);
  if (session !== undefined && "id" in session) {
    const sentence = await actions.openSession(session.id);
    if (options.isTold) tell(sentence);
  } else if (session !== undefined) recorder.startNew(session.name);
  change({ settings: settingsOf(flags, read().settings) });
  const answer = new LineAnswer({
    backend,
    hidesThinking: flags.hidethinking === true,
    read,
    change: (entries) => change({ entries }),
    folder,
    tools: options.tools,
  });
  return { actions, answer, recorder };
}

function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Prints the messages that a model begins with, as Ollama does. */
function showStored(stored: ChatDocument["entries"]): void {
  if (!process.stdin.isTTY) return;
  for (const { kind, text } of stored) {
    process.stderr.write(kind === "user" ? `>>> ${text}\n` : `${text}\n\n`);
  }
}
