// Places of a message's images in its text.
import type { ChatImage } from "./chat-message.ts";
import type { PromptSegment } from "./prompt-segment.ts";

/** Ollama's mark for an image. */
const namedPlace = "[img]";

/**
 * Splits a text at its images. An image without a place goes to an `[img]` in the text, or in front of
 * the text.
 *
 * @returns texts and, for images, their indexes within the message, in order
 */
export function placeImages(content: string, images: readonly ChatImage[]): Array<string | number> {
  if (images.length === 0) return [content];
  const placed: Array<{ from: number; to: number; image: number }> = [];
  const homeless: number[] = [];
  let next = 0;
  for (const [image, { at }] of images.entries()) {
    if (at !== undefined) {
      placed.push({ from: at, to: at, image });
      continue;
    }
    const from = content.indexOf(namedPlace, next);
    if (from < 0) {
      homeless.push(image);
    } else {
      next = from + namedPlace.length;
      placed.push({ from, to: next, image });
    }
  }
  const pieces: Array<string | number> = [...homeless];
  let end = 0;
  for (const { from, to, image } of placed.sort((a, b) => a.from - b.from || a.image - b.image)) {
    pieces.push(content.slice(end, Math.max(from, end)), image);
    end = Math.max(to, end);
  }
  pieces.push(content.slice(end));
  return pieces.filter((piece) => piece !== "");
}

/** Returns the mark that people and Ollama's clients see. `image` counts over the conversation. */
export function imageText(image: number): string {
  return `[img-${image}]`;
}

export function imageSegment(image: number): PromptSegment {
  return { text: imageText(image), special: false, image };
}

/**
 * Splits a piece of a prompt at its images.
 *
 * @param mark matches the mark of an image; its first group is the image's index
 * @returns texts, and images as indexes, in order
 */
export function splitAtImages(text: string, mark: RegExp): Array<string | number> {
  return text
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? part : Number(part)))
    .filter((part) => part !== "");
}

/** Reason to refuse a template that leaves an image out. */
export const noPlaceForImage = "it has no place for an image";

/** Returns true if each image of a conversation is in the prompt exactly once. */
export function hasAllImages(segments: readonly PromptSegment[], count: number): boolean {
  const found = segments.flatMap(({ image }) => (image === undefined ? [] : [image]));
  return found.length === count && new Set(found).size === count;
}
