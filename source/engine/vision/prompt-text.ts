// Conversion of a marked prompt into the single text that the binding takes.
//
// The binding reads every control text in a prompt as a control token. Where untrusted text contains
// one, an invisible character breaks it up: the model reads the same words without a control token.
// Images stand at the binding's mark, which untrusted text may not contain either.
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import { imageMark } from "./binding.ts";

/** WORD JOINER: no width, no break, no meaning. */
const invisible = "\u2060";

export interface PromptText {
  text: string;
  /** Indexes of the images, in the order of their marks. */
  images: number[];
}

/** @param controlTexts of the model, longest first */
export function toPromptText(
  segments: readonly PromptSegment[],
  controlTexts: readonly string[],
): PromptText {
  const images = segments.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const broken = [imageMark, ...controlTexts];
  const text = segments
    .map(({ text: part, special, image }) => {
      if (image !== undefined) return imageMark;
      return breakTexts(part, special ? [imageMark] : broken);
    })
    .join("");
  return { text, images };
}

function breakTexts(text: string, broken: readonly string[]): string {
  let safe = text;
  for (const each of broken) {
    if (each.length < 2) continue;
    const [first = "", ...rest] = each;
    safe = safe.replaceAll(each, `${first}${invisible}${rest.join("")}`);
  }
  return safe;
}
