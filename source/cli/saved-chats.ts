// Saved chats of the screens and the line chat: where they are stored, and how one is resumed.
import path from "node:path";
import { harmlessLine } from "../base/harmless-text.ts";
import { ProductError } from "../base/product-error.ts";
import type { ChatOptions } from "../chat/chat-backend.ts";
import { SessionStore } from "../chat/sessions/session-store.ts";
import type { LoadedSettings } from "../configuration/load-settings.ts";
import type { ProductPaths } from "../configuration/paths.ts";
import type { AppResult } from "../ui/app/app-options.ts";
import type { Flags } from "./flags.ts";

/** Returns the storage of chats and prompts; none if the setting nohistory is on. */
export function chatStorage(
  { values }: Pick<LoadedSettings, "values">,
  paths: ProductPaths,
): Pick<ChatOptions, "historyFile" | "sessions"> {
  if (values.nohistory) return {};
  return {
    historyFile: path.join(paths.state, "history"),
    sessions: new SessionStore(paths.state),
  };
}

/**
 * Resolves --session: a saved chat to resume, or a new one with that name.
 *
 * @throws ProductError `SESSION_AMBIGUOUS`
 */
export async function findSession(
  store: SessionStore,
  { session }: Flags,
): Promise<ChatOptions["session"]> {
  if (session === undefined) return undefined;
  try {
    return { id: (await store.find(session)).id };
  } catch (error) {
    const isMissing = error instanceof ProductError && error.code === "SESSION_NOT_FOUND";
    if (!isMissing) throw error;
    return { name: session };
  }
}

/** Prints how to resume the chat that a screen has saved; nothing after a signal. */
export function printResumeLine({ saved, signal }: Pick<AppResult, "saved" | "signal">): void {
  if (saved === undefined || signal !== undefined) return;
  process.stdout.write(`${resumeLine(saved)}\n`);
}

/** Returns a sentence, with the command on its own line, so that long names do not break it. */
export function resumeLine({ id, name, deployment }: NonNullable<AppResult["saved"]>): string {
  const shown = harmlessLine(name);
  return deployment === undefined
    ? `Chat '${shown}' is saved. Resume it with:\n  modelctl run --session ${id}`
    : `Chat '${shown}' is saved. Resume it with Alt+S in deployctl.`;
}
