// Resolves --session: a saved chat to resume, or a new one with that name.

import type { SessionStore } from "../application/chat-sessions.ts";
import { ProductError } from "../base/product-error.ts";
import type { ChatOptions } from "../ui/screens/chat/chat-backend.ts";
import type { Flags } from "./flags.ts";

/** @throws ProductError `SESSION_AMBIGUOUS` */
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
