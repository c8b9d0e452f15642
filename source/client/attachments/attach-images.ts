// Turns a typed prompt into a text and the images that it speaks of.
import { stat } from "node:fs/promises";
import { findMentions, type PathMention, type PathReading } from "./find-mentions.ts";
import { imageArgument, readImageCommand } from "./image-command.ts";
import { isPathLike, pathSpellings } from "./path-spellings.ts";
import {
  type ImageAttachment,
  missingFile,
  missingPath,
  readImageFile,
} from "./read-image-file.ts";

export interface AttachedPrompt {
  /** The prompt without the paths of what was attached. */
  readonly text: string;
  readonly images: readonly ImageAttachment[];
  /** Paths that were clearly meant but do not exist, as typed. */
  readonly missing: readonly string[];
  /**
   * Number of files that the prompt names, if more than one message can show: then none is
   * attached.
   */
  readonly tooMany?: number;
}

/** A longer list is a listing, and looking for all its files would take long. */
const mostMentions = 32;

export interface AttachOptions {
  /** The base of relative paths. */
  readonly folder: string;
  /** Accepts a bare file name within a sentence; set when the model can see. */
  readonly takesBareNames: boolean;
}

interface FoundFile {
  readonly reading: PathReading;
  readonly file: string;
}

/**
 * Finds the images that a typed prompt attaches: the one of `/image PATH QUESTION`, or those named
 * in the text.
 * @throws ProductError `ATTACHMENT_...`
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

/** True when a prompt may attach something; looks at no file. */
export function mayAttach(prompt: string): boolean {
  return imageArgument(prompt) !== undefined || findMentions(prompt).length > 0;
}

/**
 * Attaches the images whose paths stand anywhere in a prompt; each file once.
 *
 * @throws ProductError `ATTACHMENT_...` for a file that is there and cannot be attached
 */
export async function attachMentioned(
  prompt: string,
  options: AttachOptions,
): Promise<AttachedPrompt> {
  const mentions = findMentions(prompt);
  if (mentions.length > mostMentions) {
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

/**
 * Attaches the image of `/image PATH QUESTION`, and those that the question speaks of.
 *
 * @param argument the text behind `/image`
 * @throws ProductError `ATTACHMENT_...`, also where there is no such file
 */
export async function attachNamed(
  argument: string,
  options: AttachOptions,
): Promise<AttachedPrompt> {
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
    // A path that cannot be examined does not count as a file; the next spelling may.
    const facts = await stat(spelling).catch(() => undefined);
    if (facts?.isFile()) return spelling;
  }
  return undefined;
}

/** Blanks that a path leaves behind go with it. */
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
  return `No image attached: the message names ${count} image files, the limit is ${mostMentions}.`;
}
