// One value as a verb of printf shows it.
import { quotedCharacters } from "./escape-text.ts";
import { exponentFloat, fixedFloat, shortestFloat, significantFloat } from "./number-text.ts";
import { displayValue, listText, mapText } from "./print-value.ts";
import { TemplateFault } from "./template-fault.ts";
import { countCharacters, TemplateText } from "./template-text.ts";
import { GoMap, GoStruct, type GoValue, isNil, typeName } from "./values.ts";

export interface Directive {
  /** Of `+-# 0`. */
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly verb: string;
}

/**
 * A verb that does not fit shows in the text, as in Go: `%!d(string=x)`.
 *
 * @throws TemplateFault for a verb that is not supported
 */
export function formatValue(value: GoValue, wanted: Directive): TemplateText {
  const { verb, flags } = wanted;
  if (verb === "v" && flags.includes("#")) {
    throw new TemplateFault("printf does not support %#v here");
  }
  if (verb === "T") return pad(TemplateText.of(isNil(value) ? "<nil>" : typeName(value)), wanted);
  if (isNil(value)) {
    return verb === "v"
      ? pad(TemplateText.of("<nil>"), wanted)
      : TemplateText.of(`%!${verb}(<nil>)`);
  }
  switch (typeof value) {
    case "boolean":
      return "tv".includes(verb) ? pad(TemplateText.of(String(value)), wanted) : bad(value, verb);
    case "bigint":
      return formatInteger(value, wanted);
    case "number":
      return formatFloat(value, wanted);
  }
  if (value instanceof TemplateText) return formatString(value, wanted);
  const takesText = "vsqxX".includes(verb);
  if (value instanceof GoStruct) return formatString(displayValue(value), wanted);
  if (takesText && value.printed !== undefined) return formatString(displayValue(value), wanted);
  const show = (item: GoValue) => formatValue(item, wanted);
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
      const quote = flags.includes("#") && !/[`\p{Cc}\ufeff]/u.test(cut.plain) ? "`" : '"';
      const inner =
        quote === "`" ? cut : cut.map((part) => quotedCharacters(part, quote, flags.includes("+")));
      return pad(TemplateText.join([quote, inner, quote]), wanted);
    }
    case "x":
    case "X": {
      const separator = flags.includes(" ") ? " " : "";
      const hex = text.map((part) => Buffer.from(part).toString("hex"));
      const bytes = precision === undefined ? hex : hex.takeCharacters(2 * precision);
      const cased = verb === "X" ? bytes.map((part) => part.toUpperCase()) : bytes;
      if (separator === "" && !flags.includes("#")) return pad(cased, wanted);
      const prefix = flags.includes("#") ? `0${verb}` : "";
      const pairs = cased.plain.match(/../g) ?? [];
      const spaced = pairs.join(separator === "" ? "" : ` ${prefix}`);
      return pad(TemplateText.of(pairs.length === 0 ? "" : prefix + spaced, "outside"), wanted);
    }
    default:
      return bad(text, verb);
  }
}

const radixes: Record<string, number> = { b: 2, o: 8, O: 8, d: 10, v: 10, x: 16, X: 16 };
const prefixes: Record<string, string> = { b: "0b", o: "0", x: "0x", X: "0X" };

function formatInteger(value: bigint, wanted: Directive): TemplateText {
  const { verb, flags, precision } = wanted;
  const isCharacter = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  const character = isCharacter ? String.fromCodePoint(Number(value)) : "\ufffd";
  if (verb === "c") return pad(TemplateText.of(character, "outside"), wanted);
  if (verb === "q") {
    const inner = quotedCharacters(character, "'", flags.includes("+"));
    return pad(TemplateText.of(`'${inner}'`, "outside"), wanted);
  }
  const radix = radixes[verb];
  if (radix === undefined) return bad(value, verb);
  const magnitude = (value < 0n ? -value : value).toString(radix);
  const cased = verb === "X" ? magnitude.toUpperCase() : magnitude;
  const prefix = verb === "O" ? "0o" : flags.includes("#") ? (prefixes[verb] ?? "") : "";
  const digits = precision === 0 && value === 0n ? "" : cased.padStart(precision ?? 0, "0");
  const sign = signOf(value < 0n, flags);
  if (precision !== undefined) return padSpaces(TemplateText.of(sign + prefix + digits), wanted);
  return padSpaces(TemplateText.of(sign + prefix + zeros(digits, sign, wanted)), wanted);
}

function formatFloat(value: number, wanted: Directive): TemplateText {
  const { verb, precision, flags } = wanted;
  if (!"vgGeEfF".includes(verb) || flags.includes("#")) return bad(value, verb);
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

/** Digits with the zeros that the flag 0 puts between the sign and them. */
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

function bad(value: GoValue, verb: string): TemplateText {
  return TemplateText.join([`%!${verb}(${typeName(value)}=`, displayValue(value), ")"]);
}
