// Assembles the line chat: the server, the model, the saved chat.
import path from "node:path";
import { SessionStore } from "../application/chat-sessions.ts";
import { systemClock } from "../base/clock.ts";
import { showModel } from "../client/chat-calls.ts";
import { openPromptHistory } from "../ui/screens/chat/composer/prompt-history.ts";
import { ChatActions, type ChatDocument } from "../ui/screens/chat/conversation/chat-actions.ts";
import { SessionRecorder } from "../ui/screens/chat/conversation/session-recorder.ts";
import { storedEntries } from "../ui/screens/chat/conversation/transcript-entry.ts";
import { describedModel } from "./described-model.ts";
import type { Flags } from "./flags.ts";
import { createHttpBackend, settingsOf } from "./http-backend.ts";
import { leaveServer } from "./leave-server.ts";
import { LineAnswer } from "./line-answer.ts";
import { LineChat } from "./line-chat.ts";
import { ServerLink } from "./server-link.ts";
import { findSession } from "./session-flag.ts";
import type { CommandSettings } from "./session-settings.ts";

export async function openLineChat(
  model: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<number> {
  const link = await ServerLink.open(flags, settings, "hosted", model);
  try {
    const backend = await createHttpBackend(link, model, flags);
    const shown = await showModel(link.client, model);
    const stored = storedEntries(shown.messages);
    let document: ChatDocument = { entries: stored, settings: settingsOf(flags) };
    const read = () => document;
    const change = (part: Partial<ChatDocument>) => {
      document = { ...document, ...part };
    };
    // Piped input is not saved as a chat, unless a flag asks for it.
    const isChat = process.stdin.isTTY || flags.session !== undefined;
    const isKept = isChat && !settings.values.nohistory;
    const store = new SessionStore(settings.paths.state);
    const tell = (sentence: string) => process.stderr.write(`${sentence}\n`);
    const recorder = new SessionRecorder(store, systemClock, { tell });
    const folder = process.cwd();
    const keeping = isKept ? { store, recorder } : undefined;
    const actions = new ChatActions({ backend, keeping, read, change, folder });
    const session = await findSession(store, flags);
    if (session !== undefined && "id" in session) tell(await actions.openSession(session.id));
    else if (session !== undefined) recorder.startNew(session.name);
    change({ settings: settingsOf(flags, read().settings) });
    const answer = new LineAnswer({
      backend,
      hidesThinking: flags.hidethinking === true,
      read,
      change: (entries) => change({ entries }),
      folder,
    });
    const { is_guess: isBase, reason } = describedModel(shown).template_origin;
    if (isBase) tell(reason);
    showStored(stored);
    const history = await openPromptHistory(
      isKept ? path.join(settings.paths.state, "history") : undefined,
    );
    try {
      return await new LineChat({ actions, answer, history }).run();
    } finally {
      await recorder.settled();
    }
  } finally {
    await leaveServer(link, settings.values.shutdown_timeout);
  }
}

/** As Ollama shows the messages that a model brings along. */
function showStored(stored: ChatDocument["entries"]): void {
  if (!process.stdin.isTTY) return;
  for (const { kind, text } of stored) {
    process.stderr.write(kind === "user" ? `>>> ${text}\n` : `${text}\n\n`);
  }
}
