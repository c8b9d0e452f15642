// Reader of GBNF, for estimates of a grammar's cost: rules without repetitions, as llama.cpp stores them.
import { anyCharacter, type CharacterSet, complement, single, union } from "./character-set.ts";
import type { CodePointRange } from "./gbnf.ts";

/** Character of a set, or name of a rule. */
export type GbnfElement = CharacterSet | string;
export type GbnfAlternatives = GbnfElement[][];

const pieces =
  /\s+|#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|\[(?:[^\]\\\n]|\\[^\n])*\]|!?<[^>\s]*>|\{[^}]*\}|::=|[A-Za-z0-9_-]+|[\s\S]/g;
const characters =
  /\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\([\s\S])|([\s\S])/gu;
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
const lastCodePoint = 0x10ffff;

/** Returns the alternatives of each rule by name; llama.cpp reports mistakes in the syntax. */
export function readGbnf(gbnf: string): Map<string, GbnfAlternatives> {
  const texts = (gbnf.match(pieces) ?? []).filter((text) => !/^[\s#]/.test(text));
  const reader = new GbnfReader(texts);
  reader.read();
  return reader.rules;
}

class GbnfReader {
  readonly rules = new Map<string, GbnfAlternatives>();
  readonly #texts: readonly string[];
  #position = 0;
  #made = 0;
  #rule = "";

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  read(): void {
    while (this.#position < this.#texts.length) {
      this.#rule = this.#texts[this.#position] ?? "";
      this.#position += 2;
      this.rules.set(this.#rule, this.#alternatives());
      // Anything else is a syntax error.
      if (this.#texts[this.#position + 1] !== "::=") return;
    }
  }

  #alternatives(): GbnfAlternatives {
    const found: GbnfAlternatives = [this.#sequence()];
    while (this.#texts[this.#position] === "|") {
      this.#position += 1;
      found.push(this.#sequence());
    }
    return found;
  }

  #sequence(): GbnfElement[] {
    const elements: GbnfElement[] = [];
    let last: GbnfElement[] = [];
    while (this.#position < this.#texts.length) {
      const text = this.#texts[this.#position] ?? "";
      if (text === "|" || text === ")" || this.#texts[this.#position + 1] === "::=") break;
      this.#position += 1;
      const bounds = boundsOf(text);
      if (bounds === undefined) {
        last = this.#item(text);
        elements.push(...last);
      } else {
        elements.length -= last.length;
        last = this.#repeat(last, ...bounds);
        elements.push(...last);
      }
    }
    return elements;
  }

  #item(text: string): GbnfElement[] {
    if (text === "(") {
      const alternatives = this.#alternatives();
      this.#position += 1;
      return [this.#add(alternatives)];
    }
    if (text.startsWith('"')) return codesOf(text).map(single);
    if (text.startsWith("[")) return [setOf(text)];
    if (text === ".") return [anyCharacter];
    // A token id matches no character.
    return [/^!?</.test(text) ? [] : text];
  }

  #repeat(part: GbnfElement[], minimum: number, maximum: number): GbnfElement[] {
    const needed = Array.from({ length: minimum }, () => part).flat();
    if (maximum === Number.POSITIVE_INFINITY) {
      const name = this.#add([]);
      this.rules.set(name, [[...part, name], []]);
      return [...needed, name];
    }
    let rest: GbnfElement[] = [];
    for (let left = maximum - minimum; left > 0; left -= 1) {
      rest = [this.#add([[...part, ...rest], []])];
    }
    return [...needed, ...rest];
  }

  /** Names the rule after the client's, with a space, which no client's name can contain. */
  #add(alternatives: GbnfAlternatives): string {
    this.#made += 1;
    const name = `${this.#rule} ${this.#made}`;
    this.rules.set(name, alternatives);
    return name;
  }
}

/** Returns undefined for a text that repeats nothing. */
function boundsOf(text: string): [minimum: number, maximum: number] | undefined {
  if (text === "*") return [0, Number.POSITIVE_INFINITY];
  if (text === "+") return [1, Number.POSITIVE_INFINITY];
  if (text === "?") return [0, 1];
  const counts = /^\{\s*(\d+)\s*(,?)\s*(\d*)\s*\}$/.exec(text);
  if (counts === null) return undefined;
  const minimum = Number(counts[1]);
  if (counts[2] === "") return [minimum, minimum];
  return [minimum, counts[3] === "" ? Number.POSITIVE_INFINITY : Number(counts[3])];
}

function codesOf(quoted: string): number[] {
  return [...quoted.slice(1, -1).matchAll(characters)].map(
    ([, two, four, eight, escaped, plain]) => {
      const digits = two ?? four ?? eight;
      if (digits !== undefined) return Number.parseInt(digits, 16);
      const character = escaped === undefined ? plain : (escapes[escaped] ?? escaped);
      return character?.codePointAt(0) ?? 0;
    },
  );
}

function setOf(text: string): CharacterSet {
  const isComplement = text.startsWith("[^");
  const codes = codesOf(isComplement ? text.slice(1) : text);
  const ranges: CodePointRange[] = [];
  for (let index = 0; index < codes.length; index += 1) {
    const first = codes[index] ?? 0;
    const isRange = codes[index + 1] === 0x2d && index + 2 < codes.length;
    if (isRange) index += 2;
    ranges.push([first, Math.min(codes[index] ?? first, lastCodePoint)]);
  }
  return isComplement ? complement(union(ranges)) : union(ranges);
}
