// Long prompts between processes: a message of megabytes would hold up both threads, so the texts and
// images of such a prompt go ahead in parts.
import type { GenerationPrompt, MarkedPrompt } from "../generation.ts";

/** Characters of one part. */
const partLength = 256 * 1024;

/** Texts with their indexes in a prompt; a long one continues in the next part. */
export interface PromptPart {
  segments: Array<[index: number, text: string]>;
  images: Array<[index: number, base64: string]>;
}

/** @returns the prompt without the texts and images in `parts`; a short prompt as it is */
export function splitPrompt(prompt: MarkedPrompt): { rest: MarkedPrompt; parts: PromptPart[] } {
  const { segments, images = [] } = prompt;
  const texts = segments.map(({ text }) => text);
  const length = [...texts, ...images].reduce((sum, text) => sum + text.length, 0);
  if (length <= partLength) return { rest: prompt, parts: [] };
  const rest = {
    ...prompt,
    segments: segments.map((segment) => ({ ...segment, text: "" })),
    ...(images.length > 0 && { images: images.map(() => "") }),
  };
  return { rest, parts: [...partsOf("segments", texts), ...partsOf("images", images)] };
}

function* partsOf(kind: keyof PromptPart, texts: readonly string[]): Generator<PromptPart> {
  let part: PromptPart = { segments: [], images: [] };
  let left = partLength;
  for (const [index, text] of texts.entries()) {
    for (let from = 0; from < text.length; ) {
      const piece = text.slice(from, from + left);
      part[kind].push([index, piece]);
      from += piece.length;
      left -= piece.length;
      if (left > 0) continue;
      yield part;
      part = { segments: [], images: [] };
      left = partLength;
    }
  }
  if (part[kind].length > 0) yield part;
}

/** Puts the parts of a prompt back into what `splitPrompt` left of it. */
export function joinPrompt<Prompt extends GenerationPrompt>(
  prompt: Prompt,
  parts: readonly PromptPart[],
): Prompt {
  if (!("segments" in prompt)) return prompt;
  for (const part of parts) {
    for (const [index, text] of part.segments) {
      const segment = prompt.segments[index];
      if (segment !== undefined) segment.text += text;
    }
    for (const [index, base64] of part.images) {
      if (prompt.images !== undefined) prompt.images[index] += base64;
    }
  }
  return prompt;
}
