// Split of a rendered prompt that keeps untrusted text out of control tokens.
import { escapeForPattern } from "../../base/quoting.ts";
import { imageSegment, splitAtImages } from "../image-places.ts";
import type { PromptSegment } from "../prompt-segment.ts";
import { TemplateText } from "./template-text.ts";

/**
 * Wherever the prompt contains a control text, its untrusted characters are split off, to be tokenised
 * as plain text. So a control text stays whole only if the template wrote all of it; two untrusted
 * texts, or the template's and an untrusted one, cannot form one together. All other text stays in one
 * piece and is tokenised as usual. An image is a separate piece.
 *
 * @param controlTexts texts of the model's control tokens, longest first
 */
export function promptSegments(
  prompt: TemplateText,
  controlTexts: readonly string[],
): PromptSegment[] {
  return betweenImages(prompt).flatMap((part) =>
    typeof part === "number" ? [imageSegment(part)] : textSegments(part, controlTexts),
  );
}

function betweenImages({ pieces }: TemplateText): Array<TemplateText | number> {
  const parts: Array<TemplateText | number> = [];
  let end = 0;
  for (const [index, { text, origin }] of pieces.entries()) {
    if (origin !== "image") continue;
    parts.push(TemplateText.fromPieces(pieces.slice(end, index)));
    // A template may have cut the mark in two: what is left is text.
    for (const part of splitAtImages(text, /\[img-(\d+)\]/)) {
      parts.push(typeof part === "number" ? part : TemplateText.of(part, "outside"));
    }
    end = index + 1;
  }
  return [...parts, TemplateText.fromPieces(pieces.slice(end))];
}

function textSegments(prompt: TemplateText, controlTexts: readonly string[]): PromptSegment[] {
  const text = prompt.plain;
  const segments: PromptSegment[] = [];
  let end = 0;
  const push = (from: number, to: number, special: boolean) => {
    if (to <= from) return;
    const last = segments.at(-1);
    // Merges untrusted control texts that follow or overlap one another.
    if (!special && last?.special === false && end === from) last.text += text.slice(from, to);
    else segments.push({ text: text.slice(from, to), special });
    end = to;
  };
  for (const [from, to] of outsideControlRanges(prompt, controlTexts)) {
    push(end, from, true);
    push(Math.max(from, end), to, false);
  }
  push(end, text.length, true);
  return segments;
}

/** Yields the ranges of untrusted text within control texts, in order. */
function* outsideControlRanges(
  prompt: TemplateText,
  controlTexts: readonly string[],
): Generator<[from: number, to: number]> {
  if (controlTexts.length === 0) return;
  const pattern = new RegExp(controlTexts.map(escapeForPattern).join("|"), "g");
  const outside: Array<[from: number, to: number]> = [];
  let at = 0;
  for (const { text, origin } of prompt.pieces) {
    if (origin !== "template") outside.push([at, at + text.length]);
    at += text.length;
  }
  let first = 0;
  for (;;) {
    const match = pattern.exec(prompt.plain);
    if (match === null) return;
    const [from, to] = [match.index, match.index + match[0].length];
    // Matches may overlap.
    pattern.lastIndex = from + 1;
    while ((outside[first]?.[1] ?? Number.POSITIVE_INFINITY) <= from) first += 1;
    for (let index = first; index < outside.length; index += 1) {
      const [pieceFrom, pieceTo] = outside[index] ?? [0, 0];
      if (pieceFrom >= to) break;
      yield [Math.max(from, pieceFrom), Math.min(to, pieceTo)];
    }
  }
}
