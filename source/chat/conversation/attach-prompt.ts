// Images of a typed prompt, with small pictures for the transcript.

import { type AttachedPrompt, attachToPrompt } from "../../client/attachments/attach-images.ts";
import type { EntryImage, PictureRow, PictureRun } from "./transcript-entry.ts";

export interface PromptWithImages extends Omit<AttachedPrompt, "images"> {
  readonly images: readonly EntryImage[];
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
