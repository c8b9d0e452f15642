// Formatting of one value for a verb of printf.

import { TemplateFault } from "../template-fault.ts";
import { quotedCharacters } from "./escape-text.ts";
import { exponentFloat, fixedFloat, shortestFloat, significantFloat } from "./number-text.ts";
import { displayValue, listText, mapText } from "./print-value.ts";
import { countCharacters, TemplateText } from "./template-text.ts";
import { GoMap, GoStruct, type GoValue, isNil, typeName } from "./values.ts";

export interface Directive {
  /** Flags out of `+-# 0`. */
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly verb: string;
}

/**
 * Formats a value; a verb of the wrong type shows in the text, as in Go: `%!d(string=x)`.
 *
 * @throws TemplateFault for unsupported features of Go's printf
 */
export function formatValue(value: GoValue, wanted: Directive): TemplateText {
  const { verb, flags } = wanted;
  if ("boOU".includes(verb) || flags.includes("#")) throw unsupported(wanted);
  if (verb === "T") return pad(TemplateText.of(isNil(value) ? "<nil>" : typeName(value)), wanted);
  if (isNil(value)) {
    return verb === "v"
      ? pad(TemplateText.of("<nil>"), wanted)
      : TemplateText.of(`%!${verb}(<nil>)`);
  }
  switch (typeof value) {
    case "boolean":
      return "tv".includes(verb) ? pad(TemplateText.of(String(value)), wanted) : bad(value, wanted);
    case "bigint":
      return formatInteger(value, wanted);
    case "number":
      return formatFloat(value, wanted);
  }
  if (value instanceof TemplateText) return formatString(value, wanted);
  if (value instanceof GoStruct) return formatString(displayValue(value), wanted);
  const takesText = "vsqxX".includes(verb);
  if (takesText && value.printed !== undefined) return formatString(displayValue(value), wanted);
  const show = (item: GoValue) =>
    isNil(item) ? TemplateText.of("<nil>") : formatValue(item, wanted);
  return value instanceof GoMap ? mapText(value, show) : listText(value, show);
}

function formatString(text: TemplateText, wanted: Directive): TemplateText {
  const { verb, flags, precision } = wanted;
  const cut = precision === undefined ? text : text.takeCharacters(precision);
  switch (verb) {
    case "v":
    case "s":
      return pad(cut, wanted);
    case "q": {
      const inner = cut.map((part) => quotedCharacters(part, '"', flags.includes("+")));
      return pad(TemplateText.join(['"', inner, '"']), wanted);
    }
    case "x":
    case "X": {
      if (flags.includes(" ")) throw unsupported(wanted);
      const hex = text.map((part) => Buffer.from(part).toString("hex"));
      const bytes = precision === undefined ? hex : hex.takeCharacters(2 * precision);
      return pad(verb === "X" ? bytes.map((part) => part.toUpperCase()) : bytes, wanted);
    }
    default:
      return bad(text, wanted);
  }
}

function formatInteger(value: bigint, wanted: Directive): TemplateText {
  const { verb, flags, precision } = wanted;
  if (verb === "c" || verb === "q") {
    const isCharacter =
      value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
    const character = isCharacter ? String.fromCodePoint(Number(value)) : "\ufffd";
    const quoted = `'${quotedCharacters(character, "'", flags.includes("+"))}'`;
    return pad(TemplateText.of(verb === "c" ? character : quoted, "outside"), wanted);
  }
  if (!"vdxX".includes(verb)) return bad(value, wanted);
  const magnitude = (value < 0n ? -value : value).toString("xX".includes(verb) ? 16 : 10);
  const cased = verb === "X" ? magnitude.toUpperCase() : magnitude;
  const sign = signOf(value < 0n, flags);
  if (precision === undefined) {
    return padSpaces(TemplateText.of(sign + zeros(cased, sign, wanted)), wanted);
  }
  const digits = precision === 0 && value === 0n ? "" : cased.padStart(precision, "0");
  return padSpaces(TemplateText.of(digits === "" ? "" : sign + digits), wanted);
}

function formatFloat(value: number, wanted: Directive): TemplateText {
  const { verb, precision, flags } = wanted;
  if ("xX".includes(verb)) throw unsupported(wanted);
  if (!"vgGeEfF".includes(verb)) return bad(value, wanted);
  const magnitude = floatDigits(Math.abs(value), verb, precision);
  const cased = verb === "E" || verb === "G" ? magnitude.toUpperCase() : magnitude;
  const sign = signOf(value < 0 || Object.is(value, -0), flags);
  const filled = Number.isFinite(value) ? zeros(cased, sign, wanted) : cased;
  return padSpaces(TemplateText.of(sign + filled, "outside"), wanted);
}

function floatDigits(magnitude: number, verb: string, precision: number | undefined): string {
  if (!Number.isFinite(magnitude)) return shortestFloat(magnitude).replace("+", "");
  if (verb === "f" || verb === "F") return fixedFloat(magnitude, precision ?? 6);
  if (verb === "e" || verb === "E") return exponentFloat(magnitude, precision ?? 6);
  return precision === undefined
    ? shortestFloat(magnitude)
    : significantFloat(magnitude, precision);
}

function signOf(isNegative: boolean, flags: string): string {
  if (isNegative) return "-";
  return flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

/** Returns the digits with zeros between sign and digits, for the flag 0. */
function zeros(digits: string, sign: string, { flags, width = 0 }: Directive): string {
  const fills = flags.includes("0") && !flags.includes("-");
  return fills ? digits.padStart(width - sign.length, "0") : digits;
}

function padSpaces(text: TemplateText, wanted: Directive): TemplateText {
  return pad(text, { ...wanted, flags: wanted.flags.replaceAll("0", "") });
}

function pad(text: TemplateText, { flags, width = 0 }: Directive): TemplateText {
  const missing = width - countCharacters(text.plain);
  if (missing <= 0) return text;
  if (flags.includes("-")) return TemplateText.join([text, " ".repeat(missing)]);
  return TemplateText.join([(flags.includes("0") ? "0" : " ").repeat(missing), text]);
}

function bad(value: GoValue, wanted: Directive): TemplateText {
  const shown = formatValue(value, { ...wanted, verb: "v" });
  return TemplateText.join([`%!${wanted.verb}(${typeName(value)}=`, shown, ")"]);
}

function unsupported({ flags, verb }: Directive): TemplateFault {
  return new TemplateFault(`%${flags}${verb} is not supported here`);
}
