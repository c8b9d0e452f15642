// Attachments that a typed message names: images, with small pictures for the transcript, texts and resources.

import {
  type AttachedPrompt,
  attachToPrompt,
  imageArgument,
  mayAttach,
} from "../../client/attachments/attach-images.ts";
import {
  mayAttachTexts,
  readTextFiles,
  type TextFile,
} from "../../client/attachments/text-files.ts";
import type { ChatBackend, ChatTools } from "../chat-backend.ts";
import { readResources, resourceMentions, withoutMentions } from "./resource-mentions.ts";
import type { EntryImage, PictureRow, PictureRun } from "./transcript-entry.ts";

export interface PromptWithImages extends Omit<AttachedPrompt, "images"> {
  readonly images: readonly EntryImage[];
}

export interface AttachedMessage extends PromptWithImages {
  /** Texts and resources, named as typed. */
  readonly files: readonly TextFile[];
  /** Names of texts that look like files but do not exist. */
  readonly missingTexts: readonly string[];
  /** False if images are named, and the model takes none. */
  readonly canSee: boolean;
}

export interface AttachOptions {
  readonly backend: Pick<ChatBackend, "sees">;
  readonly tools: ChatTools | undefined;
  /** Relative paths start here. */
  readonly folder: string;
}

/** True if a message may name something to attach; checks no files. */
export function namesAttachments(text: string): boolean {
  return mayAttach(text) || mayAttachTexts(text);
}

/** @throws ProductError `ATTACHMENT_...`, `TOOLS_CALL_FAILED`, and errors of the server */
export async function attachToMessage(
  text: string,
  { backend, tools, folder }: AttachOptions,
): Promise<AttachedMessage> {
  const canSee = mayAttach(text) ? await backend.sees() : true;
  const attached = await attachWithPictures(text, { folder, takesBareNames: canSee });
  // The text after /image is its question: nothing else is attached with it.
  if (imageArgument(text) !== undefined) {
    return { ...attached, files: [], missingTexts: [], canSee };
  }
  const mentions = resourceMentions(text, tools);
  const texts = await readTextFiles(withoutMentions(text, mentions), folder);
  const files = [...texts.files, ...(await readResources(mentions, tools))];
  return { ...attached, files, missingTexts: texts.missing, canSee };
}

/** Cells of a picture, large enough to recognise it. */
const previewSize = { columns: 24, rows: 8 };
const upperHalf = "▀";

/** @throws ProductError `ATTACHMENT_...` */
export async function attachWithPictures(
  prompt: string,
  options: Parameters<typeof attachToPrompt>[1],
): Promise<PromptWithImages> {
  const attached = await attachToPrompt(prompt, options);
  const images: EntryImage[] = [];
  for (const { name, width, height, base64 } of attached.images) {
    images.push({ name, width, height, base64, preview: await previewRows(base64) });
  }
  return { ...attached, images };
}

/** Returns no rows for an image that cannot be drawn, instead of failing. */
export async function previewRows(base64: string): Promise<PictureRow[]> {
  return base64 === "" ? [] : await halfBlocks(base64).catch(() => []);
}

/** Draws an image with two pixels in each cell. @throws the decoder's error for a damaged one */
async function halfBlocks(base64: string): Promise<PictureRow[]> {
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  const { data, info } = await sharp(Buffer.from(base64, "base64"))
    .autoOrient()
    .resize(previewSize.columns, previewSize.rows * 2, { fit: "inside" })
    .flatten({ background: "white" })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const colorAt = (x: number, y: number) => {
    const at = (Math.min(y, height - 1) * width + x) * channels;
    // A grey image has one channel.
    const [red = 0, green = red, blue = red] = data.subarray(at, at + (channels < 3 ? 1 : 3));
    return `#${Buffer.from([red, green, blue]).toString("hex")}`;
  };
  const cellAt = (x: number, row: number): PictureRun => ({
    text: upperHalf,
    color: colorAt(x, row * 2),
    backgroundColor: colorAt(x, row * 2 + 1),
  });
  return Array.from({ length: Math.ceil(height / 2) }, (_, row) =>
    joined(Array.from({ length: width }, (_, x) => cellAt(x, row))),
  );
}

/** Joins neighbours of the same colours. */
function joined(cells: readonly PictureRun[]): PictureRow {
  const runs: PictureRun[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last?.color === cell.color && last.backgroundColor === cell.backgroundColor) {
      runs[runs.length - 1] = { ...last, text: last.text + cell.text };
    } else runs.push(cell);
  }
  return runs;
}
