// Completes the last word of a line of the line chat: a command, a resource of a tool server, or a path.
import { harmlessInput } from "../base/harmless-text.ts";
import type { ChatTools } from "../chat/chat-backend.ts";
import { typedCommands } from "../chat/commands/parse-line.ts";
import { resourceItems } from "../chat/conversation/resource-mentions.ts";
import { completePath, pathBeforeCursor } from "../client/attachments/complete-path.ts";

export interface LineSources {
  readonly tools: ChatTools | undefined;
  /** Relative paths start here. */
  readonly folder: string;
}

/** Returns readline's result: the candidates, and the word to complete. */
export async function completeLine(
  line: string,
  { tools, folder }: LineSources,
): Promise<[string[], string]> {
  if (/^\/\S*$/.test(line)) {
    const names = typedCommands.flatMap(({ slash }) => slash ?? []);
    const found = names.filter((name) => name.startsWith(line));
    if (found.length > 0) return [found, line];
  }
  const [, resource] = /(?:^|\s)@([^\s"']*)$/.exec(line) ?? [];
  if (resource !== undefined) {
    const names = (await resourceItems(tools)).map(({ value }) => harmlessInput(value));
    const found = names.filter((name) => name.startsWith(resource));
    if (found.length > 0) return [found.map((name) => `@${name}`), `@${resource}`];
  }
  const path = pathBeforeCursor(line, line.length);
  if (path === undefined) return [[], line];
  const { words } = await completePath(path, folder);
  return [[...words], path.typed];
}
