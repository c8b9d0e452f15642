// Attaches the text files that a prompt names after an at sign.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { attachmentErrors } from "../errors.ts";
import { findMentions } from "./find-mentions.ts";
import { pathSpellings } from "./path-spellings.ts";

export interface TextFile {
  /** As typed. */
  readonly name: string;
  readonly text: string;
}

export interface TextFiles {
  readonly files: readonly TextFile[];
  /** Names that look like files but do not exist. */
  readonly missing: readonly string[];
}

const largestBytes = 256 * 1024;
const mention = /(?<=^|\s)@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\"'])+))/g;

/** True if a prompt may name text files; checks no files. */
export function mayAttachTexts(prompt: string): boolean {
  return namesIn(prompt).length > 0;
}

/** @throws ProductError `ATTACHMENT_...` for an existing file that is not text */
export async function readTextFiles(prompt: string, folder: string): Promise<TextFiles> {
  const files: TextFile[] = [];
  const missing: string[] = [];
  for (const typed of namesIn(prompt)) {
    // A sentence may end after the name.
    const found =
      (await readNamed(typed, folder)) ??
      (await readNamed(typed.replace(/[.,;:!?)]+$/, ""), folder));
    if (found !== undefined) files.push(found);
    else if (/[/\\]|\.[\p{L}\p{N}]{1,8}$/u.test(typed)) missing.push(typed);
  }
  return { files, missing };
}

/** Appends the texts to the prompt, each after its name and in a code block. */
export function withTexts(prompt: string, files: readonly TextFile[]): string {
  return [prompt, ...files.map(textBlock)].join("\n\n");
}

/** Formats a file as a code block, with a fence longer than any in its text. */
export function textBlock({ name, text }: TextFile): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${name}:\n${fence}\n${text.trimEnd()}\n${fence}`;
}

function namesIn(prompt: string): string[] {
  const names = Array.from(prompt.matchAll(mention), ([, a, b, c]) => a ?? b ?? c ?? "");
  return [...new Set(names)].filter((name) => findMentions(`@${name}`).length === 0);
}

async function readNamed(typed: string, folder: string): Promise<TextFile | undefined> {
  for (const spelling of typed === "" ? [] : pathSpellings(typed, folder)) {
    // A path that cannot be examined is skipped.
    const facts = await stat(spelling).catch(() => undefined);
    if (facts === undefined) continue;
    const name = path.basename(spelling);
    if (!facts.isFile()) throw notText(`${name} is a folder.`, "Name a file in it.");
    if (facts.size > largestBytes) {
      throw new ProductError(attachmentErrors.tooLarge, {
        message: `${name} is too large: the limit for attached text is 256 KiB.`,
        hint: "Paste the relevant part.",
      });
    }
    return { name: typed, text: await readText(spelling, name) };
  }
  return undefined;
}

async function readText(file: string, name: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new ProductError(attachmentErrors.unreadable, {
      message: `${name} cannot be read.`,
      hint: "Check the file's permissions.",
      cause,
    });
  });
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\u0000")) return text;
  } catch {
    // Bytes that are not UTF-8 are not text.
  }
  throw notText(`${name} is neither text nor an image.`, "Attach text in UTF-8, or an image.");
}

function notText(message: string, hint: string): ProductError {
  return new ProductError(attachmentErrors.notText, { message, hint });
}
