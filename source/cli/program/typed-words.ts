// Splits a command line into plain words and flags with their values, before meow reads it: meow would
// take the next word for the value of any flag that it does not know.
import { type Flag, type FlagTable, typedFlag } from "./definition.ts";

export interface TypedFlag {
  kind: "flag";
  /** The whole word. */
  text: string;
  /** `--port` of `--port=1`. */
  typed: string;
  /** Undefined for a flag that does not exist. */
  name: string | undefined;
  flag: Flag | undefined;
  value: string | undefined;
  /** The value is a separate word. */
  isApart: boolean;
}

export type TypedWord = { kind: "word"; text: string } | TypedFlag;

/** @param args words in front of `--` */
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

/** Finds a flag by its long or its short form. */
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
 * Arguments that meow cannot misread. It strips one pair of quotes from every value, and takes a word
 * `true` or `false` behind a switch for its value.
 */
export function toArguments(words: readonly TypedWord[]): string[] {
  return words.map((word) => {
    if (word.kind === "word") return word.text;
    const { name, flag, value = "true" } = word;
    const typed = name === undefined || flag === undefined ? word.typed : typedFlag(name, flag);
    return flag?.isNegated ? typed : `${typed}="${value}"`;
  });
}
