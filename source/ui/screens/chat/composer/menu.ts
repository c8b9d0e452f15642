// List below the field that completes the word being typed: commands, models, files.

import { execFile } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import fuzzysort from "fuzzysort";
import type { ChatBackend } from "../../../../chat/chat-backend.ts";
import { completePath, pathBeforeCursor } from "../../../../client/attachments/complete-path.ts";
import type { EditorState } from "../../../editor/editor-state.ts";
import type { ListItem, SlashName } from "../../../frame/screen.ts";

/** An item's value replaces the text from `start` to the cursor. */
export interface Menu {
  readonly start: number;
  readonly items: readonly ListItem[];
  readonly selected: number;
  /** Only scattered letters match: Enter leaves them until the arrows choose one. Defaults to false. */
  readonly isGuess?: boolean;
}

/** Returns the resources of tool servers. */
type ResourceSource = () => Promise<readonly ListItem[]>;
type ModelSource = Pick<ChatBackend, "models">;
type Typed = Pick<EditorState, "text" | "cursor">;

const itemsMaximum = 50;
/** Scattered letters must lie at least this close together (fuzzysort's score, 0 to 1). */
const guessScore = 0.5;
const modelCommand = /^\/(?:model|load) +(\S*)$/;
const atWord = /(?:^|\s)@([^\s"']*)$/;
/** A list of files is read again after this time. */
const filesKeptMs = 5000;
/** Enter waits for the menu at most this long, for example for a folder on a slow disk. */
const longestReadMs = 1000;

/** Returns the menu of commands; one with several matching names appears once. */
export function commandMenu(
  { text, cursor }: Typed,
  commands: readonly SlashName[],
): Menu | undefined {
  if (!text.startsWith("/") || text.includes("\n") || cursor !== text.length) return undefined;
  const fitting = commands.filter(({ name }) => name.startsWith(text));
  const first = new Map(fitting.toReversed().map((command) => [command.title, command]));
  const items = fitting
    .filter((command) => first.get(command.title) === command)
    .map(({ name, title }): ListItem => ({ value: name, title: name, note: title }));
  return menuOf(0, items);
}

/** Returns the menu of models, or of resources and a folder's files, before the cursor, if any. */
export function openMenu(
  typed: Typed,
  source: ModelSource,
  folder: string,
  resources: ResourceSource,
): Promise<Menu | undefined> | undefined {
  const { text, cursor } = typed;
  const before = text.slice(0, cursor);
  const model = cursor === text.length ? modelCommand.exec(before)?.[1] : undefined;
  if (model !== undefined) return modelMenu(cursor, model, source);
  const word = atWord.exec(before)?.[1];
  return word === undefined ? undefined : fileMenu(typed, word, folder, resources);
}

async function modelMenu(
  cursor: number,
  typed: string,
  source: ModelSource,
): Promise<Menu | undefined> {
  const wanted = typed.toLowerCase();
  const fitting = (await source.models()).filter(({ name }) => name.toLowerCase().includes(wanted));
  const items = fitting.map(({ name, sizeText }) => ({ value: name, title: name, note: sizeText }));
  return menuOf(cursor - typed.length, items);
}

async function fileMenu(
  typed: Typed,
  word: string,
  folder: string,
  resources: ResourceSource,
): Promise<Menu | undefined> {
  const late = sleep(longestReadMs, [], { ref: false });
  const [known = [], offered] = await Promise.all([
    projectFiles(folder),
    Promise.race([resources(), late]),
  ]);
  const start = typed.cursor - word.length;
  const names = fittingFiles(known, word).map(fileItem);
  const fitting = offered.filter(({ value }) => value.toLowerCase().includes(word.toLowerCase()));
  if (names.length + fitting.length > 0) return menuOf(start, [...fitting, ...names]);
  return (await pathMenu(typed, folder)) ?? guessMenu(start, known, word);
}

function guessMenu(start: number, known: readonly string[], word: string): Menu | undefined {
  const found = fuzzysort.go(word, known, { threshold: guessScore, limit: itemsMaximum });
  const menu = menuOf(
    start,
    found.map(({ target }) => fileItem(target)),
  );
  return menu && { ...menu, isGuess: true };
}

/** Files and folders that complete the path before the cursor. */
export async function pathMenu({ text, cursor }: Typed, folder: string): Promise<Menu | undefined> {
  const typed = pathBeforeCursor(text, cursor);
  if (typed === undefined) return undefined;
  const { words } = await completePath(typed, folder);
  return menuOf(typed.start, words.map(fileItem));
}

/** Moves the selection; stops at the ends. */
export function moveMenu(menu: Menu, direction: -1 | 1): Menu {
  const last = menu.items.length - 1;
  const selected = Math.min(last, Math.max(0, menu.selected + direction));
  return { ...menu, selected, isGuess: false };
}

/** Returns the text with the selected item inserted, and the cursor after it. */
export function takeItem({ text, cursor }: Typed, menu: Menu): Typed {
  const { value = "" } = menu.items[menu.selected] ?? {};
  // A folder needs more typing.
  const word = value.endsWith("/") ? value : `${value} `;
  const rest = text.slice(cursor).replace(/^ /, "");
  return { text: text.slice(0, menu.start) + word + rest, cursor: menu.start + word.length };
}

/** True if Enter has nothing to complete: the typed text is an item already, or the items are guesses. */
export function isComplete({ text, cursor }: Typed, menu: Menu): boolean {
  if (menu.isGuess === true) return true;
  const typed = text.slice(menu.start, cursor);
  return menu.items.some(({ value }) => value === typed);
}

function menuOf(start: number, items: readonly ListItem[]): Menu | undefined {
  return items.length === 0
    ? undefined
    : { start, items: items.slice(0, itemsMaximum), selected: 0 };
}

function fileItem(value: string): ListItem {
  return { value, title: value, note: "" };
}

/** Names that start with the text come first, then paths that contain its letters. */
function fittingFiles(files: readonly string[], word: string): readonly string[] {
  const wanted = word.toLowerCase();
  const begins = (file: string) => path.basename(file).toLowerCase().startsWith(wanted);
  const fitting = files.filter((file) => file.toLowerCase().includes(wanted));
  return [...fitting.filter(begins), ...fitting.filter((file) => !begins(file))];
}

let kept:
  | { folder: string; atMs: number; files: Promise<readonly string[] | undefined> }
  | undefined;

/** Returns the files of a folder that git does not ignore; undefined without git. */
async function projectFiles(folder: string): Promise<readonly string[] | undefined> {
  const nowMs = Date.now();
  if (kept?.folder !== folder || nowMs - kept.atMs > filesKeptMs) {
    kept = { folder, atMs: nowMs, files: listFiles(folder) };
  }
  return await kept.files;
}

async function listFiles(folder: string): Promise<readonly string[] | undefined> {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  try {
    const options = { cwd: folder, maxBuffer: 64 * 2 ** 20, timeout: longestReadMs };
    const { stdout } = await promisify(execFile)("git", words, options);
    return stdout.split("\0").filter((file) => file !== "" && !/[\s"'\\]/.test(file));
  } catch {
    // No repository, or no git: paths are completed folder by folder.
    return undefined;
  }
}
