// Completes paths in prompts.
import { readdir } from "node:fs/promises";
import { pathSpellings } from "./path-spellings.ts";

export interface PathCompletion {
  /** Replacement for the typed path: the common beginning of all matches. */
  readonly typed: string;
  /** Matching names; folders end with a slash. */
  readonly matches: readonly string[];
  /** Matching paths as they would be typed. */
  readonly words: readonly string[];
}

/** A path that ends at the cursor, with escaped blanks or after a quote. */
export interface PathBeforeCursor {
  readonly start: number;
  readonly typed: string;
  readonly quote: string;
}

const needsEscape = /[ ()[\]{}$&;'"\\*?!#<>|`]/g;
const maxMatches = 500;

/** Finds the path before the cursor; undefined if there is none. */
export function pathBeforeCursor(text: string, cursor: number): PathBeforeCursor | undefined {
  const line = text.slice(text.lastIndexOf("\n", cursor - 1) + 1, cursor);
  const [, quote = "", quoted] = /(?:^|[\s@])(["'])([^"']*)$/.exec(line) ?? [];
  if (quoted !== undefined) return { start: cursor - quoted.length, typed: quoted, quote };
  const [word = ""] = /(?:\\.|[^\s\\])*$/.exec(line) ?? [];
  const typed = word.replace(/^@/, "");
  const isPath = word.startsWith("@") || /^(?:~|\.{1,2})?[/\\]|^~$|[/\\]/.test(word);
  const isOfCommand = /^\s*\/image\s+\S*$/i.test(line) && word !== "/image";
  if (!isPath && !isOfCommand) return undefined;
  return { start: cursor - typed.length, typed, quote: "" };
}

/**
 * @param path with shell escapes unless quoted
 * @param folder base of relative paths
 */
export async function completePath(
  { typed, quote }: Pick<PathBeforeCursor, "typed" | "quote">,
  folder: string,
): Promise<PathCompletion> {
  if (typed === "~") return { typed: "~/", matches: ["~/"], words: ["~/"] };
  const slash = typed.lastIndexOf("/");
  const parent = typed.slice(0, slash + 1);
  const prefix = typed.slice(slash + 1).replace(/\\(.)/g, "$1");
  const [literal = folder, unescaped = literal] = pathSpellings(parent, folder);
  // A folder that cannot be read offers nothing.
  const entries = await readdir(unescaped, { withFileTypes: true }).catch(() => []);
  const fitting = entries.filter(
    ({ name }) => name.startsWith(prefix) && (prefix.startsWith(".") || !name.startsWith(".")),
  );
  const names = fitting
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted()
    .slice(0, maxMatches);
  const [first] = names;
  if (first === undefined) return { typed, matches: [], words: [] };
  const written = (name: string) =>
    parent + (quote === "" ? name.replace(needsEscape, "\\$&") : name);
  const common = commonBeginning(first, names);
  return { typed: written(common), matches: names, words: names.map(written) };
}

function commonBeginning(first: string, others: readonly string[]): string {
  let end = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, end))) end -= 1;
  }
  return first.slice(0, end);
}
