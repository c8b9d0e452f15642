// Images of a native request, checked before any other work.
import type { ChatImage } from "../../../prompt/chat-message.ts";
import { readBase64Image } from "../image-field.ts";

/**
 * @param param their path in the body
 * @throws ProductError `SERVER_FIELD_INVALID` with the place of the first wrong character
 */
export function readImages(
  images: readonly string[] | null | undefined,
  param: string,
): ChatImage[] {
  return (images ?? []).map((image, index) => readBase64Image(image, `${param}.${index}`));
}
