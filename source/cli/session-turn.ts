// Asks one more question in a saved chat, from the command line.
import { SessionStore } from "../application/chat-sessions.ts";
import { systemClock } from "../base/clock.ts";
import { exitCodes } from "../base/product-error.ts";
import type { AnswerStatistics } from "../client/chat-events.ts";
import { ChatActions, type ChatDocument } from "../ui/screens/chat/conversation/chat-actions.ts";
import { SessionRecorder } from "../ui/screens/chat/conversation/session-recorder.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { createHttpBackend, settingsOf } from "./http-backend.ts";
import { LineAnswer } from "./line-answer.ts";
import { ServerLink } from "./server-link.ts";
import { findSession } from "./session-flag.ts";
import type { CommandSettings } from "./session-settings.ts";
import { formatStatistics } from "./statistics-text.ts";

/** @throws ProductError `COMMAND_USAGE` for an empty prompt, `SESSION_...`; errors of the client */
export async function continueSession(
  model: string,
  prompt: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<number> {
  if (prompt === "") {
    throw usageError("--session needs a question.", 'modelctl run --session NAME tiny "And then?"');
  }
  const link = await ServerLink.open(flags, settings, "shared", model);
  const abort = new AbortController();
  const interrupt = () => abort.abort();
  process.once("SIGINT", interrupt);
  try {
    const backend = await createHttpBackend(link, model, flags);
    let document: ChatDocument = { entries: [], settings: settingsOf(flags) };
    const read = () => document;
    const change = (part: Partial<ChatDocument>) => {
      document = { ...document, ...part };
    };
    const store = new SessionStore(settings.paths.state);
    const tell = (sentence: string) => process.stderr.write(`${sentence}\n`);
    const recorder = new SessionRecorder(store, systemClock, { tell });
    const folder = process.cwd();
    const keeping = { store, recorder };
    const actions = new ChatActions({ backend, keeping, read, change, folder });
    const session = await findSession(store, flags);
    if (session !== undefined && "id" in session) await actions.openSession(session.id);
    else if (session !== undefined) recorder.startNew(session.name);
    change({ settings: settingsOf(flags, read().settings) });
    // A named model wins over the chat's own.
    if (backend.facts.name !== model) await backend.use(model);
    const answer = new LineAnswer({
      backend,
      hidesThinking: flags.hidethinking === true,
      read,
      change: (entries) => change({ entries }),
      folder,
    });
    let statistics: AnswerStatistics | undefined;
    try {
      statistics = await answer.ask(prompt, prompt, abort.signal);
      if (flags.verbose && statistics !== undefined) {
        process.stderr.write(formatStatistics(statistics));
      }
    } finally {
      actions.record();
      await recorder.settled();
    }
    return statistics?.finishReason === "cancelled" ? exitCodes.interrupted : exitCodes.ok;
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    return exitCodes.interrupted;
  } finally {
    process.off("SIGINT", interrupt);
    await link.close();
  }
}
