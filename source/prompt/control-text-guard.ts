// Guard against control tokens in untrusted text.
//
// A template joins user text and its own control tokens into one string, in which a user's
// "<|im_end|>" looks like its own. So every control text in user text is wrapped in two marks before the
// template runs; afterwards the marks show which pieces must be tokenised as plain text. The marks are
// characters that occur nowhere else in the request, and they stay next to the control text, so a
// template may trim, join or search the text around them.
import { escapeForPattern } from "../base/quoting.ts";
import type { PromptSegment } from "./prompt-segment.ts";

export class ControlTextGuard {
  readonly #controlTexts: readonly string[];
  readonly #pattern: RegExp | undefined;
  readonly #open: string;
  readonly #close: string;

  /**
   * @param controlTexts texts of the model's control tokens, longest first
   * @param marks characters that occur nowhere in the request or the template
   */
  constructor(controlTexts: readonly string[], marks: readonly [open: string, close: string]) {
    this.#controlTexts = controlTexts;
    this.#pattern =
      controlTexts.length === 0
        ? undefined
        : new RegExp(controlTexts.map(escapeForPattern).join("|"), "gu");
    [this.#open, this.#close] = marks;
  }

  /** Marks the control texts in an untrusted text. */
  protect(text: string): string {
    if (this.#pattern === undefined) return text;
    return text.replaceAll(this.#pattern, (match) => `${this.#open}${match}${this.#close}`);
  }

  /** Applies `protect` to every string in a JSON value, including keys. */
  protectAll<T>(value: T): T {
    return this.#walk(value) as T;
  }

  #walk(value: unknown): unknown {
    if (typeof value === "string") return this.protect(value);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.protect(key), this.#walk(item)]),
    );
  }

  /** Splits a rendered prompt at the marks and removes them. */
  split(rendered: string): PromptSegment[] {
    const segments: PromptSegment[] = [];
    let plain = "";
    let at = 0;
    const push = (text: string, special: boolean) => {
      if (text !== "") segments.push({ text, special });
    };
    while (at < rendered.length) {
      const next = this.#nextMark(rendered, at);
      plain += rendered.slice(at, next);
      if (next === rendered.length) break;
      at = next + this.#open.length;
      if (!rendered.startsWith(this.#open, next)) continue; // a closing mark whose opening mark was cut
      const text = this.#controlTexts.find(
        (candidate) =>
          rendered.startsWith(candidate, at) &&
          rendered.startsWith(this.#close, at + candidate.length),
      );
      if (text === undefined) continue; // the template changed or cut the text between the marks
      push(plain, true);
      plain = "";
      push(text, false);
      at += text.length + this.#close.length;
    }
    push(plain, true);
    return segments;
  }

  #nextMark(rendered: string, from: number): number {
    const open = rendered.indexOf(this.#open, from);
    const close = rendered.indexOf(this.#close, from);
    return Math.min(open < 0 ? rendered.length : open, close < 0 ? rendered.length : close);
  }
}
