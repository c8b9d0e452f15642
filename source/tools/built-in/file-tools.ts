// Tools that read files below the working folder: read, list, search. They follow no link out of it.
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { quoteShort } from "../../base/display-text.ts";
import { formatBytes } from "../../base/formats.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { type BuiltInTool, type ToolContext, ToolFailure } from "./built-in-server.ts";

const maxReadBytes = 4 * 1024 * 1024;
const maxSearchedBytes = 1024 * 1024;
const maxEntries = 1000;
const maxMatches = 200;
const maxVisited = 50_000;
const maxLineLength = 300;

const readTool: BuiltInTool = {
  name: "read_file",
  description: "Read a text file of the working folder",
  parameters: {
    path: { type: "string", description: "Path, relative to the working folder" },
    from_line: { type: "integer", description: "First line, from 1", isOptional: true },
    line_count: { type: "integer", description: "Number of lines", isOptional: true },
  },
  isReadOnly: true,
  async run(values, { folder }) {
    const typed = values.text("path");
    const place = await placeOf(typed, folder);
    const content = await readText(place.target, maxReadBytes);
    if (content === undefined) throw new ToolFailure(`${quoteShort(typed)} is not a text file.`);
    const from = Math.max(1, values.integer("from_line", 1));
    const lines = content.text.split("\n");
    // A line break ends the last line and begins none.
    const total = lines.at(-1) === "" ? lines.length - 1 : lines.length;
    if (from > Math.max(1, total)) {
      return `[The file ends at line ${total}, before line ${from}.]`;
    }
    const count = Math.max(1, values.integer("line_count", lines.length));
    const chosen = lines.slice(from - 1, from - 1 + count);
    const rest =
      content.restBytes === 0 ? "" : `\n[${formatBytes(content.restBytes)} more cannot be read.]`;
    return chosen.join("\n") + rest;
  },
};

const listTool: BuiltInTool = {
  name: "list_files",
  description: "List a folder of the working folder, without what git ignores",
  parameters: {
    path: {
      type: "string",
      description: "Path, relative to the working folder; the folder itself if left out",
      isOptional: true,
    },
  },
  isReadOnly: true,
  async run(values, { folder }) {
    const place = await placeOf(values.text("path", "."), folder);
    const rules = await IgnoredFiles.of(place.target);
    const entries = await entriesOf(place.target, rules);
    const lines = entries.slice(0, maxEntries).map((entry) => nameOf(entry));
    if (entries.length > maxEntries) lines.push(`[${entries.length - maxEntries} more entries]`);
    return lines.length === 0 ? "[Nothing, or only what git ignores]" : lines.join("\n");
  },
};

const searchTool: BuiltInTool = {
  name: "search_files",
  description:
    "Find files of the working folder by a text in their names or lines, whatever its case, without what git ignores",
  parameters: {
    text: { type: "string", description: "Text to find" },
    path: { type: "string", description: "Folder to search, if not all", isOptional: true },
  },
  isReadOnly: true,
  async run(values, context) {
    const wanted = values.text("text").toLowerCase();
    if (wanted === "") throw new ToolFailure("The argument text is empty.");
    const place = await placeOf(values.text("path", "."), context.folder);
    const found: string[] = [];
    for await (const { file, shown } of filesBelow(place, context)) {
      if (shown.toLowerCase().includes(wanted)) found.push(shown);
      found.push(...(await matchesIn(file, shown, wanted)));
      if (found.length > maxMatches) {
        return `${found.slice(0, maxMatches).join("\n")}\n[More than ${maxMatches} matches: search for a longer text]`;
      }
    }
    return found.length === 0 ? "[No match]" : found.join("\n");
  },
};

export const fileTools: readonly BuiltInTool[] = [readTool, listTool, searchTool];

interface Place {
  /** The working folder, without links. */
  readonly base: string;
  /** A path below it, without links. */
  readonly target: string;
}

/** @throws ToolFailure for a path that does not exist or leads out of the folder, also by a link */
async function placeOf(typed: string, folder: string): Promise<Place> {
  const base = await realpath(folder);
  const outside = new ToolFailure(`${quoteShort(typed)} is outside the working folder.`);
  // Checked before the disk is asked: what exists elsewhere is not told.
  const named = path.resolve(base, typed);
  if (!isWithin(base, named) && !isWithin(path.resolve(folder), named)) throw outside;
  const target = await realpath(named).catch((error: unknown) => {
    throw unreadable(typed, error);
  });
  if (!isWithin(base, target)) throw outside;
  return { base, target };
}

function isWithin(base: string, target: string): boolean {
  const relative = path.relative(base, target);
  const isAbove = relative === ".." || relative.startsWith(`..${path.sep}`);
  return !isAbove && !path.isAbsolute(relative);
}

function unreadable(shown: string, error: unknown): ToolFailure {
  const code = systemCode(error);
  if (code === "ENOENT") return new ToolFailure(`There is no ${quoteShort(shown)}.`);
  return new ToolFailure(`${quoteShort(shown)} cannot be read (${code ?? "unknown reason"}).`);
}

/** @returns undefined for a file that is not text @throws ToolFailure */
async function readText(
  file: string,
  maxBytes: number,
): Promise<{ text: string; restBytes: number } | undefined> {
  let handle: FileHandle | undefined;
  try {
    // A pipe without a writer would never open.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const state = await handle.stat();
    if (!state.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(state.size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return undefined;
    const text = new TextDecoder().decode(bytes, { stream: state.size > maxBytes });
    return { text, restBytes: Math.max(0, state.size - maxBytes) };
  } catch (error) {
    throw unreadable(path.basename(file), error);
  } finally {
    await handle?.close();
  }
}

async function matchesIn(file: string, shown: string, wanted: string): Promise<string[]> {
  // A file that cannot be read is left out, as one that is not text.
  const content = await readText(file, maxSearchedBytes).catch(() => undefined);
  if (content === undefined || !content.text.toLowerCase().includes(wanted)) return [];
  return content.text
    .split(/\r?\n/)
    .flatMap((line, index) =>
      line.toLowerCase().includes(wanted)
        ? [`${shown}:${index + 1}: ${line.trim().slice(0, maxLineLength).toWellFormed()}`]
        : [],
    )
    .slice(0, maxMatches + 1);
}

/** Yields files from the folder down, without links. @throws ToolFailure for too many */
async function* filesBelow(
  { base, target }: Place,
  { signal }: ToolContext,
): AsyncGenerator<{ file: string; shown: string }> {
  const waiting = [{ folder: target, rules: await IgnoredFiles.of(target) }];
  let visited = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { folder, rules } = next;
    const folders = [];
    for (const entry of await entriesOf(folder, rules)) {
      signal.throwIfAborted();
      visited += 1;
      if (visited > maxVisited) {
        throw new ToolFailure(`There are more than ${maxVisited} files: search a smaller folder.`);
      }
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push({ folder: file, rules: await rules.with(file) });
      if (entry.isFile()) yield { file, shown: path.relative(base, file) };
    }
    waiting.push(...folders.reverse());
  }
}

/** Returns entries that git does not ignore, by name. @throws ToolFailure */
async function entriesOf(folder: string, rules: IgnoredFiles): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(path.basename(folder), error);
  });
  return entries
    .filter(
      (entry) =>
        entry.name !== ".git" && !rules.include(path.join(folder, entry.name), entry.isDirectory()),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function nameOf(entry: Dirent): string {
  if (entry.isDirectory()) return `${entry.name}/`;
  return entry.isSymbolicLink() ? `${entry.name} (a link)` : entry.name;
}

interface FolderRules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Rules of the .gitignore files from a repository's folder down. */
class IgnoredFiles {
  readonly #rules: readonly FolderRules[];

  private constructor(rules: readonly FolderRules[]) {
    this.#rules = rules;
  }

  /** Reads the files of a folder and of those above it, up to that of the repository. */
  static async of(folder: string): Promise<IgnoredFiles> {
    const above = [folder];
    while (!(await exists(path.join(above[0] ?? "", ".git")))) {
      const next = path.dirname(above[0] ?? "");
      // Outside a repository only the folder's own file counts.
      if (next === above[0]) return await new IgnoredFiles([]).with(folder);
      above.unshift(next);
    }
    let rules = new IgnoredFiles([]);
    for (const one of above) rules = await rules.with(one);
    return rules;
  }

  /** Adds the .gitignore of a folder below. */
  async with(folder: string): Promise<IgnoredFiles> {
    const lines = await readRules(path.join(folder, ".gitignore"));
    if (lines.length === 0) return this;
    return new IgnoredFiles([...this.#rules, { folder, rules: ignore().add(lines) }]);
  }

  include(file: string, isFolder: boolean): boolean {
    let isIgnored = false;
    for (const { folder, rules } of this.#rules) {
      const relative = path.relative(folder, file).split(path.sep).join("/");
      const verdict = rules.test(isFolder ? `${relative}/` : relative);
      if (verdict.ignored) isIgnored = true;
      if (verdict.unignored) isIgnored = false;
    }
    return isIgnored;
  }
}

async function exists(file: string): Promise<boolean> {
  return await lstat(file).then(
    () => true,
    () => false,
  );
}

/** Returns no rules for a file that does not exist, is a link or very large. */
async function readRules(file: string): Promise<string[]> {
  const state = await lstat(file).catch(() => undefined);
  if (!state?.isFile() || state.size > maxSearchedBytes) return [];
  const text = await readFile(file, "utf8").catch(() => "");
  // The library makes regular expressions of them; many stars would take it forever.
  return text.split(/\r?\n/).filter((line) => (line.match(/\*+/g) ?? []).length <= 4);
}
