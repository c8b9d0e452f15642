// GBNF, llama.cpp's notation for grammars: syntax of its pieces, and a set of rules.
import { AlternativeFactoring } from "./factor-alternatives.ts";

/** Quotes a literal text. */
export function literal(text: string): string {
  return `"${[...text.toWellFormed()].map(literalCharacter).join("")}"`;
}

function literalCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  const isControl = character < " " || character === "\x7f";
  return isControl ? `\\x${hex(character.codePointAt(0) ?? 0, 2)}` : character;
}

/** Range of code points, both ends included. */
export type CodePointRange = readonly [first: number, last: number];

/** Matches one character of the given ranges, of which there must be at least one. */
export function characterClass(ranges: readonly CodePointRange[]): string {
  const parts = ranges.map(([first, last]) =>
    first === last ? classCharacter(first) : `${classCharacter(first)}-${classCharacter(last)}`,
  );
  return `[${parts.join("")}]`;
}

function classCharacter(code: number): string {
  const character = String.fromCodePoint(code);
  if (/[0-9A-Za-z]/.test(character)) return character;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, "0");
}

export function sequence(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

/** llama.cpp refuses 2,000 repetitions of one rule, and ignores a larger number. */
const maxRepetitions = 1000;

/** Rules under construction; each expression that is more than a name becomes a rule. */
export class GrammarRules {
  readonly #bodies = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #known = new Map<string, string>();
  readonly #texts: string[] = [];
  readonly #factoring = new AlternativeFactoring(this);
  #size = 0;

  /** Number of characters of all rules so far. */
  get size(): number {
    return this.#size;
  }

  /** Counts alternatives; see `AlternativeFactoring`. */
  get alternatives(): Pick<AlternativeFactoring, "widest" | "mostOverlapping"> {
    return this.#factoring;
  }

  /** Returns the rule with this body, creating it if needed. */
  add(body: string): string {
    const known = this.#names.get(body);
    if (known !== undefined) return known;
    const name = this.reserve();
    this.define(name, body);
    this.#names.set(body, name);
    return name;
  }

  /** Returns the rule of a key, which many parts of a grammar use; its body may refer to itself. */
  once(key: string, write: (name: string) => string): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.reserve();
    this.#known.set(key, name);
    this.define(name, write(name));
    return name;
  }

  /** Returns a rule for any of the expressions, or the only one. Common beginnings are shared. */
  either(alternatives: readonly string[]): string {
    const different = [...new Set(alternatives)];
    const [only] = different;
    if (different.length === 1 && only !== undefined) return only;
    return this.add(this.#factoring.bodyOf(different));
  }

  /** Returns undefined for anything but the name of a finished rule. */
  bodyOf(name: string): string | undefined {
    return this.#bodies.get(name) || undefined;
  }

  /** Reserves a name for a rule that is defined later. */
  reserve(): string {
    const name = `r${this.#bodies.size}`;
    this.#bodies.set(name, "");
    return name;
  }

  /** Adds finished rules, whose names must not collide. */
  append(text: string): void {
    this.#texts.push(`${text}\n`);
    this.#size += text.length;
  }

  define(name: string, body: string): void {
    this.#bodies.set(name, body);
    this.#size += body.length + name.length;
  }

  /**
   * Repeats an expression from `minimum` to `maximum` times, which may be infinity. More than a million
   * counts as infinity: no window is that long.
   */
  repeat(expression: string, minimum: number, maximum: number): string {
    if (maximum === 0) return "";
    const rule = this.add(expression);
    if (maximum > maxRepetitions ** 2) return sequence(this.#exactly(rule, minimum), `${rule}*`);
    return sequence(this.#exactly(rule, minimum), this.#atMost(rule, maximum - minimum));
  }

  #exactly(rule: string, times: number): string {
    if (times === 0) return "";
    if (times === 1) return rule;
    if (times <= maxRepetitions) return `${rule}{${times}}`;
    const chunks = Math.floor(times / maxRepetitions);
    const chunk = this.add(`${rule}{${maxRepetitions}}`);
    return sequence(this.#exactly(chunk, chunks), this.#exactly(rule, times % maxRepetitions));
  }

  #atMost(rule: string, times: number): string {
    if (times === 0) return "";
    if (times <= maxRepetitions) return `${rule}{0,${times}}`;
    const chunk = this.add(`${rule}{${maxRepetitions}}`);
    const less = this.add(`${rule}{0,${maxRepetitions - 1}}`);
    let rest = this.add(`${rule}{0,${times % maxRepetitions}}`);
    for (let left = Math.floor(times / maxRepetitions); left > 0; left -= 1) {
      rest = this.add(`${chunk} ${rest} | ${less}`);
    }
    return rest;
  }

  /** Returns the whole grammar. */
  text(root: string): string {
    const rules = [...this.#bodies].map(([name, body]) => `${name} ::= ${body}\n`);
    return `root ::= ${root}\n${rules.join("")}${this.#texts.join("")}`;
  }
}
