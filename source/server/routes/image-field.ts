// Image fields: base64 texts and data URIs. They are decoded later.
import { ProductError } from "../../base/product-error.ts";
import type { ChatImage } from "../../prompt/chat-message.ts";
import { invalidField, serverErrors } from "../errors.ts";
import { illegalBase64At } from "./base64.ts";

/** A text with its images, each at an offset in the text. */
export interface ContentText {
  text: string;
  images: ChatImage[];
}

const dataUriStart = /^data:([^,;]{0,100})(?:;[^,;]{0,100})*;base64,/i;

/**
 * @param text base64, or a data URI, since people paste them
 * @throws ProductError `SERVER_FIELD_INVALID` with the offset of the first wrong character
 */
export function readBase64Image(text: string, param: string, mimeType?: string): ChatImage {
  const [start = "", named = ""] = dataUriStart.exec(text) ?? [];
  const base64 = text.slice(start.length);
  const at = illegalBase64At(base64);
  if (at !== undefined) throw invalidField(param, `illegal base64 data at input byte ${at}`);
  return imageField(base64, named === "" ? mimeType : named, param);
}

/**
 * @param url a data URI; remote images were fetched before if that is allowed
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_IMAGE_REMOTE`
 */
export function readImageUrl(url: unknown, param: string): ChatImage {
  if (typeof url === "string" && /^https?:\/\//i.test(url)) {
    throw new ProductError(serverErrors.imageRemote, {
      message: "image URLs are not currently supported, please use base64 encoded data instead",
      hint: "The setting allow_remote_images lets this server fetch images.",
      param,
    });
  }
  const [start = "", named = ""] = dataUriStart.exec(typeof url === "string" ? url : "") ?? [];
  const base64 = typeof url === "string" ? url.slice(start.length) : "";
  const isImage = named === "" || /^image\//i.test(named);
  if (base64 === "" || start === "" || !isImage || illegalBase64At(base64) !== undefined) {
    throw invalidField(
      param,
      `invalid image input: '${param}' must be a data: URI with an image such as PNG, JPEG or WebP in base64.`,
    );
  }
  return imageField(base64, named === "" ? undefined : named, param);
}

function imageField(base64: string, mimeType: string | undefined, param: string): ChatImage {
  return { base64, param, ...(mimeType !== undefined && { mimeType }) };
}

/** Joins contents, keeping the order of images. @param between separates the texts */
export function joinContents(contents: readonly ContentText[], between = ""): ContentText {
  let text = "";
  const images: ChatImage[] = [];
  for (const [index, content] of contents.entries()) {
    if (index > 0) text += between;
    const start = text.length;
    for (const image of content.images) images.push({ ...image, at: start + (image.at ?? 0) });
    text += content.text;
  }
  return { text, images };
}

/**
 * Reads the images of a native request.
 *
 * @param param their path in the body
 * @throws ProductError `SERVER_FIELD_INVALID` with the offset of the first wrong character
 */
export function readImages(
  images: readonly string[] | null | undefined,
  param: string,
): ChatImage[] {
  return (images ?? []).map((image, index) => readBase64Image(image, `${param}.${index}`));
}
