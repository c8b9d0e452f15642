// Attaches the images that a prompt on the command line names.
import { ProductError } from "../base/product-error.ts";
import type { ApiClient } from "../client/api-client.ts";
import {
  type AttachedPrompt,
  attachToPrompt,
  mayAttach,
  tooManyText,
} from "../client/attachments/attach-images.ts";
import { attachedText, type ImageAttachment } from "../client/attachments/read-image-file.ts";
import { seesImages } from "../client/chat-calls.ts";
import { attachmentErrors } from "../client/errors.ts";

/**
 * Attaches the images named by a command's arguments. Piped text is not searched, as it may be a log full
 * of file names.
 *
 * @throws ProductError `ATTACHMENT_...`; ServerRefusal for an unknown model
 */
export async function attachToWords(
  client: ApiClient,
  model: string,
  prompt: string,
): Promise<AttachedPrompt> {
  if (!mayAttach(prompt)) return { text: prompt, images: [], missing: [] };
  const canSee = await seesImages(client, model);
  const attached = await attachToPrompt(prompt, {
    folder: process.cwd(),
    takesBareNames: canSee,
  });
  if (attached.images.length > 0 && !canSee) throw cannotSee(model, attached.images);
  return attached;
}

export function cannotSee(model: string, images: ReadonlyArray<{ name: string }>): ProductError {
  const names = images.map(({ name }) => name).join(", ");
  return new ProductError(attachmentErrors.unseen, {
    message: `"${model}" does not support images: ${names} was not sent.`,
    hint: "Use a model with the vision capability; see modelctl show.",
  });
}

/** Returns a line for each image, with its tokens if counted, and for each missing file. */
export function attachmentLines({
  images,
  missing,
  tooMany,
}: Pick<AttachedPrompt, "missing" | "tooMany"> & {
  images: ReadonlyArray<
    Pick<ImageAttachment, "name" | "width" | "height"> & { tokens?: number | undefined }
  >;
}): string {
  const lines = [
    ...images.map((image) => attachedText(image, image.tokens)),
    ...missing.map((path) => `not found: ${path}`),
    ...(tooMany === undefined ? [] : [tooManyText(tooMany)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Adds token counts to images that have none; failed counts are left out. */
export async function countImages<Image extends { base64: string; tokens?: number | undefined }>(
  images: readonly Image[],
  count: (base64: string) => Promise<number>,
): Promise<Array<Image & { tokens?: number | undefined }>> {
  const counted: Array<Image & { tokens?: number | undefined }> = [];
  for (const image of images) {
    const tokens = image.tokens ?? (await count(image.base64).catch(() => undefined));
    counted.push({ ...image, ...(tokens !== undefined && { tokens }) });
  }
  return counted;
}
