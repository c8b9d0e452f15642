// Model that the chat opens with: the one that a person last chatted with on this machine.
import { totalmem } from "node:os";
import type { SessionHead } from "../chat/sessions/session.ts";
import type { Flags } from "./flags.ts";
import type { CommandSettings } from "./session-settings.ts";

/** More are not tried: each is looked up on the disk before the screen opens. */
const maxTried = 5;

/**
 * Returns the first model of the saved chats that can be used, or undefined.
 *
 * @param sessions last used first; chats with deployments do not count
 */
export async function lastUsable(
  sessions: readonly Pick<SessionHead, "model" | "deployment">[],
  isUsable: (model: string) => Promise<boolean>,
): Promise<string | undefined> {
  const local = sessions.filter(({ deployment }) => deployment === undefined);
  for (const model of [...new Set(local.map(({ model }) => model))].slice(0, maxTried)) {
    if (await isUsable(model)) return model;
  }
  return undefined;
}

/** Returns the model last used whose file still exists and fits into this machine's memory. */
export async function lastModel(
  flags: Flags,
  { values, paths }: CommandSettings,
): Promise<string | undefined> {
  if (values.nohistory || flags.connect !== undefined) return undefined;
  const { SessionStore } = await import("../chat/sessions/session-store.ts");
  const { sessions } = await new SessionStore(paths.state).list();
  if (sessions.length === 0) return undefined;
  const { openLibrary } = await import("./model-library.ts");
  const { library } = openLibrary(flags);
  return await lastUsable(sessions, async (model) => {
    try {
      const { facts } = await library.catalog.resolve(model);
      return !facts.isEmbeddingOnly && facts.fileSize < totalmem();
    } catch {
      // It was deleted, or its file is gone.
      return false;
    }
  });
}
