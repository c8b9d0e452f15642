// Fetches an image that a request names by URL, if the owner allows it.
import { quoteShort } from "../base/display-text.ts";
import { FetchRefusal, fetchPublic } from "../base/fetch-public.ts";
import { formatBytes } from "../base/formats.ts";
import { ProductError } from "../base/product-error.ts";
import { serverErrors } from "./errors.ts";

interface FetchOptions {
  largestBytes: number;
  /** Path of the address in the request. */
  param: string;
  signal: AbortSignal;
  /** Tells if an address may be contacted. Defaults to foreign public addresses. */
  isAllowed?: (address: string) => boolean;
}

/**
 * @returns the image as a data URI
 * @throws ProductError `SERVER_IMAGE_REMOTE`, `SERVER_IMAGE_TOO_LARGE`
 */
export async function fetchImage(url: string, options: FetchOptions): Promise<string> {
  const { largestBytes, param, signal, isAllowed } = options;
  try {
    const { type, bytes } = await fetchPublic(url, { maxBytes: largestBytes, signal, isAllowed });
    // Many file servers send this type for everything, so it means nothing.
    const named = /^image\/[\w.+-]+$/.test(type) ? type : "";
    return `data:${named};base64,${bytes.toString("base64")}`;
  } catch (error) {
    if (!(error instanceof FetchRefusal)) throw error;
    if (error.isTooLarge) {
      throw new ProductError(serverErrors.imageTooLarge, {
        message: `The image at the URL in '${param}' exceeds the limit of ${formatBytes(largestBytes)}.`,
        hint: "Use a smaller one, or raise max_image_size.",
        param,
      });
    }
    throw new ProductError(serverErrors.imageRemote, {
      message: `The image at ${quoteShort(error.url)} cannot be fetched: ${error.message}.`,
      hint: "Send the image itself as a data: URI.",
      param,
      cause: error,
    });
  }
}
