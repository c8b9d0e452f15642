// modelctl sessions: lists, searches and deletes saved chats.

import { formatRelativeTime } from "../../base/formats.ts";
import { SessionStore } from "../../chat/sessions/session-store.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { readSettings } from "../session-settings.ts";
import { formatTable } from "../table.ts";
import type { chatCommands } from "./chat.definition.ts";

export const sessions: Run<typeof chatCommands.sessions> = async (words, flags) => {
  const store = new SessionStore(readSettings(flags).paths.state);
  if (flags.remove !== undefined) {
    const { id, name } = await store.find(flags.remove);
    await store.remove(id);
    process.stdout.write(`deleted '${name}'\n`);
    return;
  }
  const { problems } = await store.list();
  for (const { path, message } of problems) process.stderr.write(`${path}: ${message}\n`);
  const found = await store.search(words.join(" "));
  if (flags.json) return printDocument(found);
  const rows = found.map(({ id, name, model, messageCount, updatedAtMs }) => [
    id,
    name,
    model,
    String(messageCount),
    formatRelativeTime(updatedAtMs),
  ]);
  process.stdout.write(formatTable(["id", "name", "model", "messages", "used"], rows));
};
