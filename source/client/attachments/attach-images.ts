// Attaches the images that a typed prompt names: with `/image PATH QUESTION`, or within the text. A line
// with `/image` is recognised before anything else is done with it, as the model must never see one.
import { stat } from "node:fs/promises";
import { findMentions, type PathMention, type PathReading } from "./find-mentions.ts";
import { isPathLike, pathSpellings } from "./path-spellings.ts";
import {
  type ImageAttachment,
  missingFile,
  missingPath,
  readImageFile,
} from "./read-image-file.ts";

export interface AttachedPrompt {
  /** The prompt without the paths of attached images. */
  readonly text: string;
  readonly images: readonly ImageAttachment[];
  /** Paths that do not exist, as typed; only clear ones. */
  readonly missing: readonly string[];
  /**
   * Number of image files that the prompt names, if above the limit: then none is attached.
   */
  readonly tooMany?: number;
}

/** A longer list is probably pasted output, and checking all its files would take long. */
const maxMentions = 32;
const imageCommand = /^\s*\/image(?=\s|$)\s*/i;

export interface AttachOptions {
  /** Base of relative paths. */
  readonly folder: string;
  /** Accepts a bare file name within a sentence; set for models that accept images. */
  readonly takesBareNames: boolean;
}

/** A way to split the argument of `/image` into path and question. */
interface ImageCommandReading {
  /** Without quotes. */
  readonly path: string;
  readonly question: string;
}

interface FoundFile {
  readonly reading: PathReading;
  readonly file: string;
}

/**
 * Attaches the images of a typed prompt.
 *
 * @throws ProductError `ATTACHMENT_...` for a file that cannot be attached, and for one that `/image`
 *   names and does not exist
 */
export async function attachToPrompt(
  prompt: string,
  options: AttachOptions,
): Promise<AttachedPrompt> {
  const argument = imageArgument(prompt);
  return argument === undefined
    ? await attachMentioned(prompt, options)
    : await attachNamed(argument, options);
}

/** True if a prompt may name images; checks no files. */
export function mayAttach(prompt: string): boolean {
  return imageArgument(prompt) !== undefined || findMentions(prompt).length > 0;
}

/** Attaches the images whose paths are anywhere in a prompt, each file once. */
async function attachMentioned(prompt: string, options: AttachOptions): Promise<AttachedPrompt> {
  const mentions = findMentions(prompt);
  if (mentions.length > maxMentions) {
    return { text: prompt, images: [], missing: [], tooMany: mentions.length };
  }
  const found: FoundFile[] = [];
  const missing: string[] = [];
  let taken = 0;
  for (const mention of mentions) {
    const hit = await findFile(mention, taken, options);
    if (hit !== undefined) {
      found.push(hit);
      taken = hit.reading.end;
    } else if (mention.plain.start >= taken && isMeant(mention.plain)) {
      missing.push(mention.plain.typed);
    }
  }
  const images: ImageAttachment[] = [];
  for (const file of new Set(found.map(({ file }) => file))) images.push(await readImageFile(file));
  return { text: withoutPaths(prompt, found), images, missing };
}

/** Attaches the image of `/image PATH QUESTION`, and those that the question names. */
async function attachNamed(argument: string, options: AttachOptions): Promise<AttachedPrompt> {
  if (argument === "") throw missingPath();
  const readings = readImageCommand(argument);
  for (const { path, question } of readings) {
    const file = await firstFile(path, options.folder);
    if (file === undefined) continue;
    const image = await readImageFile(file);
    const more = await attachMentioned(question, { ...options, takesBareNames: true });
    const others = more.images.filter((other) => other.path !== file);
    return { ...more, images: [image, ...others] };
  }
  throw missingFile(readings.at(-1)?.path ?? argument);
}

async function findFile(
  { readings }: PathMention,
  taken: number,
  { folder, takesBareNames }: AttachOptions,
): Promise<FoundFile | undefined> {
  for (const reading of readings) {
    if (reading.start < taken) continue;
    if (!takesBareNames && !isMeant(reading)) continue;
    const file = await firstFile(reading.typed, folder);
    if (file !== undefined) return { reading, file };
  }
  return undefined;
}

function isMeant({ typed, isMarked }: PathReading): boolean {
  return isMarked || isPathLike(typed);
}

async function firstFile(typed: string, folder: string): Promise<string | undefined> {
  for (const spelling of pathSpellings(typed, folder)) {
    // A path that cannot be examined is skipped.
    const facts = await stat(spelling).catch(() => undefined);
    if (facts?.isFile()) return spelling;
  }
  return undefined;
}

/** Removes paths with the blanks after them. */
function withoutPaths(prompt: string, found: readonly FoundFile[]): string {
  let text = "";
  let from = 0;
  for (const { reading } of found) {
    text += prompt.slice(from, reading.start);
    from = reading.end;
    if (/(^|\s)$/.test(text)) while (/[ \t]/.test(prompt.charAt(from))) from += 1;
  }
  return (text + prompt.slice(from)).trim();
}

/** Explains why nothing is attached from a prompt that names too many files. */
export function tooManyText(count: number): string {
  return `No image attached: the message names ${count} image files, the limit is ${maxMentions}.`;
}

/** Returns the text after `/image`; undefined for other lines. */
export function imageArgument(line: string): string | undefined {
  const match = imageCommand.exec(line);
  return match === null ? undefined : line.slice(match[0].length).trimEnd();
}

/**
 * Returns all ways to read the argument, longest path first, as any word may end an unquoted path. The
 * last reading is the one to report if no file exists.
 */
function readImageCommand(argument: string): ImageCommandReading[] {
  const text = argument.replace(/^@/, "");
  const quote = text.charAt(0);
  if (quote === '"' || quote === "'" || quote === "`") {
    const close = text.indexOf(quote, 1);
    if (close > 1) {
      return [{ path: text.slice(1, close), question: text.slice(close + 1).trim() }];
    }
  }
  const readings: ImageCommandReading[] = [];
  for (const match of text.matchAll(/(?<!\\)(?=\s)|$/g)) {
    const path = text.slice(0, match.index);
    // A path does not end between two blanks.
    if (path === "" || /\s$/.test(path)) continue;
    readings.unshift({ path, question: text.slice(match.index).trim() });
  }
  return readings;
}
