// A marked prompt as the one text that the binding takes.
//
// The binding reads every control text in a prompt as a control token. So where text from outside looks
// like one, an invisible character is put into it: the model reads the same words, and no control token
// arises. Images stand where the binding's mark is, which text from outside may not spell either.
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import { imageMark } from "./binding.ts";

/** WORD JOINER: no width, no break, no meaning. */
const invisible = "\u2060";

export interface PromptText {
  text: string;
  /** Numbers of the images, in the order of their marks. */
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
