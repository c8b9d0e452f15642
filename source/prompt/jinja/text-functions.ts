// Text functions that methods and filters share; each checks the budget before it creates a text.
import { TemplateFault } from "../template-fault.ts";
import type { Run } from "./values.ts";

/** White space in Python but not in JavaScript. */
const moreSpaces = new Set(["\u001c", "\u001d", "\u001e", "\u001f", "\u0085"]);

/** @param characters to remove; undefined: white space */
export function stripText(
  text: string,
  characters: string | undefined,
  ends: { start: boolean; end: boolean },
  run: Run,
): string {
  run.budget.read(text.length);
  const set = characters === undefined ? undefined : new Set(characters);
  const goes = (character: string) =>
    set === undefined
      ? (/\s/.test(character) && character !== "\ufeff") || moreSpaces.has(character)
      : set.has(character);
  let from = 0;
  let to = text.length;
  if (ends.start) while (from < to && goes(text[from] ?? "")) from += 1;
  if (ends.end) while (to > from && goes(text[to - 1] ?? "")) to -= 1;
  return text.slice(from, to);
}

/** @param most limit of replacements; negative: all */
export function replaceText(text: string, old: string, by: string, most: number, run: Run): string {
  const places: number[] = [];
  run.budget.read(text.length);
  let at = old === "" ? 0 : text.indexOf(old);
  while (at >= 0 && at <= text.length && (most < 0 || places.length < most)) {
    places.push(at);
    run.budget.step();
    at = old === "" ? at + 1 : text.indexOf(old, at + old.length);
  }
  run.budget.text(text.length + places.length * (by.length - old.length));
  let from = 0;
  const parts = places.map((place) => {
    const part = text.slice(from, place) + by;
    from = place + old.length;
    return part;
  });
  return parts.join("") + text.slice(from);
}

/** @param most limit of splits; negative: all */
export function splitText(
  text: string,
  separator: string | undefined,
  most: number,
  run: Run,
): string[] {
  run.budget.text(text.length);
  if (separator === "") throw new TemplateFault("the separator is empty");
  const parts: string[] = [];
  let from = 0;
  if (separator === undefined) {
    const words = /\S+/g;
    for (let word = words.exec(text); word !== null; word = words.exec(text)) {
      run.budget.items(1);
      if (most >= 0 && parts.length === most) {
        parts.push(stripText(text.slice(word.index), undefined, { start: false, end: false }, run));
        return parts;
      }
      parts.push(word[0]);
    }
    return parts;
  }
  for (;;) {
    const at = most >= 0 && parts.length >= most ? -1 : text.indexOf(separator, from);
    run.budget.items(1);
    if (at < 0) return [...parts, text.slice(from)];
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
}

/** Splits like `splitText`, but counts from the end. */
export function splitFromEnd(text: string, separator: string, most: number, run: Run): string[] {
  const parts = splitText(text, separator, -1, run);
  if (most < 0 || parts.length <= most + 1) return parts;
  const first = parts.slice(0, parts.length - most).join(separator);
  return [first, ...parts.slice(parts.length - most)];
}

export function countText(text: string, part: string, run: Run): number {
  run.budget.slowText(text.length);
  return part === "" ? text.length + 1 : text.split(part).length - 1;
}

export function padText(
  text: string,
  width: number,
  side: "left" | "right" | "both",
  run: Run,
  fill = " ",
): string {
  const room = Math.max(0, width - text.length);
  run.budget.text(text.length + room);
  const before = side === "right" ? 0 : side === "left" ? room : room >> 1;
  return fill.repeat(before) + text + fill.repeat(room - before);
}

export function capitalizeText(text: string, run: Run): string {
  run.budget.text(text.length);
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

export function titleText(text: string, run: Run): string {
  run.budget.slowText(text.length);
  return text
    .toLowerCase()
    .replaceAll(
      /(^|[^\p{L}])(\p{L})/gu,
      (_, before: string, letter: string) => before + letter.toUpperCase(),
    );
}
