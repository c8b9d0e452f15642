// What Tab makes of the text before the cursor: a command, a path, or nothing.

import { completePath, pathBeforeCursor } from "../../../../client/attachments/complete-path.ts";
import { completeSlash } from "../commands/command-table.ts";

export interface Completion {
  readonly text: string;
  readonly cursor: number;
  /** What may stand there, where there are several. */
  readonly choices: readonly string[];
}

const choicesShown = 12;

/** Where to look for what may stand there. */
export interface CompletionSources {
  /** Paths without a beginning of their own are in here. */
  readonly folder: string;
  /** Of commands beside the chat's. */
  readonly slashNames: readonly string[];
}

/** @returns undefined where nothing before the cursor can be completed */
export async function completeTyped(
  text: string,
  cursor: number,
  { folder, slashNames }: CompletionSources,
): Promise<Completion | undefined> {
  if (text.startsWith("/") && !text.includes("\n") && cursor === text.length) {
    const completed = completeSlash(text, slashNames);
    if (completed !== undefined && completed !== text) {
      return { text: completed, cursor: completed.length, choices: [] };
    }
  }
  const path = pathBeforeCursor(text, cursor);
  if (path === undefined) return undefined;
  const { typed, matches } = await completePath(path, folder);
  if (matches.length === 0) return undefined;
  return {
    text: text.slice(0, path.start) + typed + text.slice(cursor),
    cursor: path.start + typed.length,
    choices: matches.length > 1 ? matches : [],
  };
}

/** A sentence with the choices, the first of them where there are many. */
export function choicesText(choices: readonly string[]): string {
  const more = choices.length - choicesShown;
  const shown = choices.slice(0, choicesShown).join("  ");
  return more > 0 ? `${shown}  and ${more} more` : shown;
}
