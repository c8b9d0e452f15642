// Readers that turn the text of a setting into its value.
import { parseDuration } from "../base/duration.ts";

/** Returns the value of a text, or describes valid ones. */
export type Reader<T> = (text: string) => { value: T } | { expected: string };

const byteFactors: Record<string, number> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

export function list(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

export function expecting<T>(value: T | undefined, expected: string): ReturnType<Reader<T>> {
  return value === undefined ? { expected } : { value };
}

/** Reads `auto` as a value of its own. */
export function autoAs<const T, U>(auto: T, reader: Reader<U>): Reader<T | U> {
  return (text) => (text === "auto" ? { value: auto } : reader(text));
}

/** Reads 0 as another value. */
export function zeroAs<T>(zero: T, reader: Reader<number>): Reader<T | number> {
  return (text) => {
    const result = reader(text);
    return "value" in result && result.value === 0 ? { value: zero } : result;
  };
}

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (text) => {
    const value = Number(text);
    const fits = text !== "" && Number.isSafeInteger(value) && value >= minimum && value <= maximum;
    const upTo = maximum === Number.MAX_SAFE_INTEGER ? "" : ` to ${maximum}`;
    return fits ? { value } : { expected: `a whole number from ${minimum}${upTo}` };
  };
}

export function oneOf<const T extends string>(...values: T[]): Reader<T> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    return value === undefined ? { expected: `one of ${values.join(", ")}` } : { value };
  };
}

export function boolean(text: string): ReturnType<Reader<boolean>> {
  const lower = text.toLowerCase();
  if (["1", "true", "t", "yes", "on"].includes(lower)) return { value: true };
  if (["0", "false", "f", "no", "off"].includes(lower)) return { value: false };
  return { expected: "true or false" };
}

/** @param example of a valid text, for the error */
export function duration(example: string): Reader<number> {
  return (text) => expecting(parseDuration(text), `a duration such as ${example}`);
}

export function byteSize(text: string): ReturnType<Reader<number>> {
  return expecting(parseByteSize(text), "a size such as 20MiB");
}

/** Returns the bytes of `1048576`, `20M`, `20MB` (decimal), `20MiB` (binary); undefined for other texts. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]i?)?b?$/i.exec(text.trim());
  if (match === null) return undefined;
  const bytes = Math.round(Number(match[1]) * (byteFactors[match[2]?.toLowerCase() ?? ""] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
