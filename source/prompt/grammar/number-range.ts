// Grammar for numbers between two bounds, digit by digit.
import { type GrammarRules, literal } from "./gbnf.ts";

export interface NumberBounds {
  minimum: number | undefined;
  maximum: number | undefined;
  exclusiveMinimum: boolean;
  exclusiveMaximum: boolean;
}

/** Larger numbers in JSON are not exact. */
const maxIntegerDigits = 16;
const largest = 10n ** BigInt(maxIntegerDigits) - 1n;
/** Most digits of a double without an exponent. */
const maxFractionDigits = 24;

/** Matches integers of up to 16 digits within the bounds; undefined if there are none. */
export function integerRange(rules: GrammarRules, bounds: NumberBounds): string | undefined {
  const lowest = bounds.minimum === undefined ? -largest : ceiling(bounds);
  const highest = bounds.maximum === undefined ? largest : floor(bounds);
  const low = lowest < -largest ? -largest : lowest;
  const high = highest > largest ? largest : highest;
  if (low > high) return undefined;
  const alternatives: string[] = [];
  if (low < 0n) {
    const range = naturalRange(rules, high < 0n ? -high : 1n, -low);
    alternatives.push(`"-" ${range}`);
  }
  if (high >= 0n) alternatives.push(naturalRange(rules, low > 0n ? low : 0n, high));
  return rules.either(alternatives);
}

function ceiling({ minimum = 0, exclusiveMinimum }: NumberBounds): bigint {
  const whole = BigInt(Math.ceil(minimum));
  return exclusiveMinimum && Number.isInteger(minimum) ? whole + 1n : whole;
}

function floor({ maximum = 0, exclusiveMaximum }: NumberBounds): bigint {
  const whole = BigInt(Math.floor(maximum));
  return exclusiveMaximum && Number.isInteger(maximum) ? whole - 1n : whole;
}

/** Matches numbers from `low` to `high`, neither negative. */
function naturalRange(rules: GrammarRules, low: bigint, high: bigint): string {
  const alternatives: string[] = [];
  for (let digits = String(low).length; digits <= String(high).length; digits += 1) {
    const least = digits === 1 ? 0n : 10n ** BigInt(digits - 1);
    const most = 10n ** BigInt(digits) - 1n;
    const from = String(low > least ? low : least);
    const to = String(high < most ? high : most);
    alternatives.push(sameLength(rules, from, to));
  }
  return rules.either(alternatives);
}

/** Matches digits between two texts of the same length. */
function sameLength(rules: GrammarRules, from: string, to: string): string {
  const rest = from.length - 1;
  const [first, last] = [Number(from.charAt(0)), Number(to.charAt(0))];
  if (rest === 0) return digit(first, last);
  if (from === "0".repeat(from.length) && to === "9".repeat(to.length)) {
    return `[0-9]{${from.length}}`;
  }
  const [fromRest, toRest] = [from.slice(1), to.slice(1)];
  if (first === last)
    return rules.add(`${digit(first, first)} ${sameLength(rules, fromRest, toRest)}`);
  const alternatives = [
    `${digit(first, first)} ${sameLength(rules, fromRest, "9".repeat(rest))}`,
    `${digit(last, last)} ${sameLength(rules, "0".repeat(rest), toRest)}`,
  ];
  if (last - first > 1) alternatives.push(`${digit(first + 1, last - 1)} [0-9]{${rest}}`);
  return rules.add(alternatives.join(" | "));
}

function digit(first: number, last: number): string {
  return first === last ? literal(String(first)) : `[${first}-${last}]`;
}

/** Decimal without a sign; the fraction has no trailing zeros. */
interface Decimal {
  whole: bigint;
  fraction: string;
}

/** End of a range of decimals without a sign. */
interface End extends Decimal {
  isExclusive: boolean;
}

/**
 * Matches decimals within the bounds, without exponents; undefined if there are none.
 *
 * @param fractionDigits most decimals
 */
export function decimalRange(
  rules: GrammarRules,
  bounds: NumberBounds,
  fractionDigits = maxFractionDigits,
): string | undefined {
  const zero: End = { whole: 0n, fraction: "", isExclusive: false };
  const minimum = bounds.minimum ?? Number.NEGATIVE_INFINITY;
  const maximum = bounds.maximum ?? Number.POSITIVE_INFINITY;
  const excludesBoth = bounds.exclusiveMinimum || bounds.exclusiveMaximum;
  if (minimum > maximum || (minimum === maximum && excludesBoth)) return undefined;
  const low = endOf(minimum, bounds.exclusiveMinimum);
  const high = endOf(maximum, bounds.exclusiveMaximum);
  const alternatives: string[] = [];
  if (minimum < 0) {
    const nearest = maximum < 0 ? high : { ...zero, isExclusive: true };
    const range = unsignedRange(rules, nearest ?? zero, low, fractionDigits);
    if (range !== undefined) alternatives.push(`"-" ${range}`);
  }
  if (maximum >= 0) {
    const range = unsignedRange(rules, minimum >= 0 ? (low ?? zero) : zero, high, fractionDigits);
    if (range !== undefined) alternatives.push(range);
  }
  return alternatives.length === 0 ? undefined : rules.either(alternatives);
}

/** Returns undefined for a bound beyond any number that the grammar writes. */
function endOf(bound: number, isExclusive: boolean): End | undefined {
  if (Math.abs(bound) > Number(largest)) return undefined;
  const [mantissa = "", exponent = "0"] = String(Math.abs(bound)).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const zeros = "0".repeat(Math.max(0, -Number(exponent)));
  const digits = zeros + whole;
  const point = digits.length + Number(exponent);
  const all = digits + fraction;
  return {
    whole: BigInt(all.slice(0, point) || "0"),
    fraction: all.slice(point).replace(/0+$/, ""),
    isExclusive,
  };
}

function unsignedRange(
  rules: GrammarRules,
  low: End,
  high: End | undefined,
  fractionDigits: number,
): string | undefined {
  const last = high?.whole ?? largest;
  if (low.whole > last) return undefined;
  const alternatives: string[] = [];
  const add = (whole: string, fraction: string | undefined) => {
    if (fraction !== undefined) alternatives.push(`${whole} ${fraction}`);
  };
  const meets = low.whole === last;
  add(
    literal(String(low.whole)),
    fractionRange(rules, low, meets ? high : undefined, fractionDigits),
  );
  if (!meets && high !== undefined) {
    add(literal(String(last)), fractionRange(rules, undefined, high, fractionDigits));
  }
  const lastFree = high === undefined ? last : last - 1n;
  if (low.whole + 1n <= lastFree) {
    const free = fractionRange(rules, undefined, undefined, fractionDigits);
    add(naturalRange(rules, low.whole + 1n, lastFree), free);
  }
  return alternatives.length === 0 ? undefined : rules.either(alternatives);
}

/** Matches a point and decimals, or nothing, if the whole part equals that of the given ends. */
function fractionRange(
  rules: GrammarRules,
  low: End | undefined,
  high: End | undefined,
  most: number,
): string | undefined {
  const [from, to] = [low?.fraction ?? "", high?.fraction ?? ""];

  /** Returns true if the number may end after `at` decimals that equal those of the ends. */
  const mayEnd = (at: number, onLow: boolean, onHigh: boolean): boolean => {
    if (onLow && (at < from.length || low?.isExclusive)) return false;
    return !(onHigh && at >= to.length && high?.isExclusive);
  };
  const digitsFrom = (at: number, onLow: boolean, onHigh: boolean): string | undefined => {
    if (at >= most) return undefined;
    const first = onLow ? Number(from[at] ?? 0) : 0;
    const last = onHigh ? Number(to[at] ?? 0) : 9;
    const alternatives: string[] = [];
    const add = (least: number, greatest: number, isLow: boolean, isHigh: boolean) => {
      if (least > greatest) return;
      const rest = restFrom(at + 1, isLow, isHigh);
      if (rest !== undefined) alternatives.push(`${digit(least, greatest)} ${rest}`.trimEnd());
    };
    if (first === last) {
      add(first, last, onLow, onHigh);
    } else {
      if (onLow) add(first, first, true, false);
      add(onLow ? first + 1 : first, onHigh ? last - 1 : last, false, false);
      if (onHigh) add(last, last, false, true);
    }
    return alternatives.length === 0 ? undefined : alternatives.join(" | ");
  };
  const restFrom = (at: number, onLow: boolean, onHigh: boolean): string | undefined => {
    if (!onLow && !onHigh) return at >= most ? "" : `[0-9]{0,${most - at}}`;
    const digits = digitsFrom(at, onLow, onHigh);
    if (!mayEnd(at, onLow, onHigh)) return digits === undefined ? undefined : rules.add(digits);
    return digits === undefined ? "" : `${rules.add(digits)}?`;
  };

  const isLow = low !== undefined;
  const isHigh = high !== undefined;
  const digits = digitsFrom(0, isLow, isHigh);
  const fraction = digits === undefined ? undefined : `"." ${rules.add(digits)}`;
  if (!mayEnd(0, isLow, isHigh)) return fraction;
  return fraction === undefined ? "" : `(${fraction})?`;
}
