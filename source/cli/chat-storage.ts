// Storage of the full screen's chats and of the prompt history.
import path from "node:path";
import { SessionStore } from "../application/chat-sessions.ts";
import type { LoadedSettings } from "../configuration/load-settings.ts";
import type { ProductPaths } from "../configuration/paths.ts";
import type { ChatOptions } from "../ui/screens/chat/chat-backend.ts";

/** Stores nothing when the setting nohistory is on. */
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
