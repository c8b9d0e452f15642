// Images that a prompt on the command line names.
import { ProductError } from "../base/product-error.ts";
import type { ApiClient } from "../client/api-client.ts";
import {
  type AttachedPrompt,
  attachToPrompt,
  mayAttach,
  tooManyText,
} from "../client/attachments/attach-images.ts";
import { attachmentErrors } from "../client/attachments/errors.ts";
import { attachedText, type ImageAttachment } from "../client/attachments/read-image-file.ts";
import { imageTokens, seesImages } from "../client/chat-calls.ts";

/**
 * Finds the images that a command's words attach. Piped text is not searched: a log full of file
 * names attaches none.
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

/** A line for each image, with its tokens where they can be counted, and for each missing file. */
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

/** The images with their counts; a count that fails is no reason not to ask. */
export async function countImages(
  client: ApiClient,
  model: string,
  images: readonly ImageAttachment[],
  signal: AbortSignal,
): Promise<Array<ImageAttachment & { tokens?: number }>> {
  const counted: Array<ImageAttachment & { tokens?: number }> = [];
  for (const image of images) {
    const prompt = { model, parameters: {} };
    const tokens = await imageTokens(client, prompt, image.base64, signal).catch(() => undefined);
    counted.push({ ...image, ...(tokens !== undefined && { tokens }) });
  }
  return counted;
}
