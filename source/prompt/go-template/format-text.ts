// Go's printf format strings.

import { formatValue } from "./format-value.ts";
import { displayValue } from "./print-value.ts";
import { type Origin, TemplateText } from "./template-text.ts";
import { type GoValue, isNil, typeName } from "./values.ts";

/** Go's limit on widths and precisions. */
const widest = 1_000_000;
const directive =
  /%([+\-# 0]*)(?:\[(\d+)\])?(?:(\*)|(\d+))?(?:\.(?:(\*)|(\d*)))?(?:\[(\d+)\])?(.?)/suy;

/**
 * Formats as Go's Sprintf does, with mistakes shown in the text: `%!d(string=x)`.
 *
 * @throws TemplateFault for an unsupported format
 */
export function formatText(format: TemplateText, values: readonly GoValue[]): TemplateText {
  return new Formatter(format, values).run();
}

class Formatter {
  readonly #format: string;
  readonly #origin: Origin;
  readonly #values: readonly GoValue[];
  readonly #parts: TemplateText[] = [];
  #next = 0;
  #isReordered = false;

  constructor(format: TemplateText, values: readonly GoValue[]) {
    this.#format = format.plain;
    const isTemplates = format.pieces.every(({ origin }) => origin === "template");
    this.#origin = isTemplates ? "template" : "outside";
    this.#values = values;
  }

  run(): TemplateText {
    let at = 0;
    while (at < this.#format.length) {
      const percent = this.#format.indexOf("%", at);
      const end = percent < 0 ? this.#format.length : percent;
      this.#put(this.#format.slice(at, end), this.#origin);
      if (percent < 0) break;
      at = this.#directive(percent);
    }
    const rest = this.#values.slice(this.#next);
    if (!this.#isReordered && rest.length > 0) this.#parts.push(extraText(rest));
    return TemplateText.join(this.#parts);
  }

  #put(text: string, origin: Origin = "template"): void {
    this.#parts.push(TemplateText.of(text, origin));
  }

  /** @returns the index after the directive */
  #directive(percent: number): number {
    directive.lastIndex = percent;
    const [
      all = "%",
      flags = "",
      first,
      star,
      digits,
      precisionStar,
      precisionDigits,
      second,
      verb,
    ] = directive.exec(this.#format) ?? [];
    if (Number(digits ?? 0) > widest || Number(precisionDigits ?? 0) > widest || !verb) {
      this.#put("%!(NOVERB)");
      return verb ? this.#format.length : percent + all.length;
    }
    if (first !== undefined) this.#moveTo(first);
    const width = star === undefined ? numberOf(digits) : this.#integer("WIDTH");
    const precision =
      precisionStar === undefined ? numberOf(precisionDigits) : this.#integer("PREC");
    if (second !== undefined) this.#moveTo(second);
    if (verb === "%") {
      this.#put("%", this.#origin);
    } else if (this.#next < 0 || this.#next >= this.#values.length) {
      this.#put(`%!${verb}(${(first ?? second) ? "BADINDEX" : "MISSING"})`);
    } else {
      const isLeft = width !== undefined && width < 0;
      // In %+v the plus asks for field names, not for signs.
      const kept = verb === "v" ? flags.replaceAll("+", "") : flags;
      this.#parts.push(
        formatValue(this.#values[this.#next], {
          flags: isLeft ? `${kept}-` : kept,
          width: width === undefined ? undefined : Math.abs(width),
          precision: precision !== undefined && precision < 0 ? undefined : precision,
          verb,
        }),
      );
      this.#next += 1;
    }
    return percent + all.length;
  }

  #moveTo(index: string): void {
    this.#isReordered = true;
    this.#next = Number(index) - 1;
  }

  /** Reads a width or precision from the arguments. */
  #integer(name: "WIDTH" | "PREC"): number | undefined {
    const value = this.#values[this.#next];
    this.#next += 1;
    if (typeof value === "bigint" && value >= -widest && value <= widest) return Number(value);
    this.#put(`%!(BAD${name})`);
    return undefined;
  }
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function extraText(values: readonly GoValue[]): TemplateText {
  const shown = values.flatMap((value, index) => [
    index === 0 ? "" : ", ",
    isNil(value) ? "<nil>" : `${typeName(value)}=`,
    isNil(value) ? "" : displayValue(value),
  ]);
  return TemplateText.join(["%!(EXTRA ", ...shown, ")"]);
}
