// Images of a typed prompt, with small pictures for the transcript.

import {
  type AttachedPrompt,
  attachToPrompt,
} from "../../../../client/attachments/attach-images.ts";
import { halfBlocks, type PixelCell } from "../../../../client/attachments/half-blocks.ts";
import { joinRuns } from "../../../markdown/wrap-runs.ts";
import type { TextRow, TextRun } from "../../../text/text-run.ts";
import type { EntryImage } from "../conversation/transcript-entry.ts";

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
export async function previewRows(base64: string): Promise<TextRow[]> {
  if (base64 === "") return [];
  const cells = await halfBlocks({ base64 }, previewSize).catch(() => []);
  return cells.map((row) => joinRuns(row.map(runOf)));
}

function runOf({ upper, lower }: PixelCell): TextRun {
  return { text: upperHalf, tone: "plain", color: upper, backgroundColor: lower };
}
