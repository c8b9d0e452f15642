// Splits a command line into words and flags with values before meow reads it, as meow takes the next word
// as the value of an unknown flag.
import { type Flag, type FlagTable, typedFlag } from "./definition.ts";

export interface TypedFlag {
  kind: "flag";
  /** The word as typed. */
  text: string;
  /** The flag alone: `--port` of `--port=1`. */
  typed: string;
  /** Undefined for an unknown flag. */
  name: string | undefined;
  flag: Flag | undefined;
  value: string | undefined;
  /** True if the value is a separate word. */
  isApart: boolean;
}

export type TypedWord = { kind: "word"; text: string } | TypedFlag;

/** @param args words before `--` */
export function splitFlags(args: readonly string[], table: FlagTable): TypedWord[] {
  const words: TypedWord[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at] ?? "";
    const [, long, longValue, short, shortValue] =
      /^(?:(--[^=]+)(?:=([\s\S]*))?|(-[^-])=?([\s\S]+)?)$/.exec(text) ?? [];
    const typed = long ?? short;
    if (typed === undefined) {
      words.push({ kind: "word", text });
      continue;
    }
    const [name, flag] = flagNamed(typed, table);
    const isOpen = flag !== undefined && flag.type !== "boolean" && flag.bare === undefined;
    const inline = longValue ?? shortValue;
    const isApart = isOpen && inline === undefined;
    if (isApart) at += 1;
    const value = isApart ? args[at] : (inline ?? flag?.bare);
    words.push({ kind: "flag", text, typed, name, flag, value, isApart });
  }
  return words;
}

/** Finds a flag by its long or short form. */
export function flagNamed(
  typed: string,
  table: FlagTable,
): [name: string, flag: Flag] | [undefined, undefined] {
  const found = Object.entries(table).find(
    ([name, flag]) => typed === typedFlag(name, flag) || typed === `-${flag.short}`,
  );
  return found ?? [undefined, undefined];
}

/**
 * Returns arguments that meow cannot misread: it strips a pair of quotes from values, and takes `true` or
 * `false` after a switch as its value.
 */
export function toArguments(words: readonly TypedWord[]): string[] {
  return words.map((word) => {
    if (word.kind === "word") return word.text;
    const { name, flag, value = "true" } = word;
    const typed = name === undefined || flag === undefined ? word.typed : typedFlag(name, flag);
    return flag?.isNegated ? typed : `${typed}="${value}"`;
  });
}
