// Grammar rules of JSON.
import { unescaped } from "./character-set.ts";
import { characterClass, type GrammarRules, literal, sequence } from "./gbnf.ts";

const escaped = sequence('"\\\\"', `(["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})`);
const character = `${characterClass(unescaped)} | ${escaped}`;

/**
 * Building blocks for schemas. White space is bounded, so that a model cannot continue it forever:
 * nothing, a space, or a line break with an indent of up to 40 characters.
 */
export class JsonRules {
  readonly rules: GrammarRules;
  /** White space between the marks of objects and lists. */
  readonly space: string;
  /** White space after a colon. */
  readonly smallSpace = '" "?';
  readonly #hasPythonWords: boolean;

  /** @param hasPythonWords allows `True`, `False` and `None` beside JSON's words */
  constructor(rules: GrammarRules, hasPythonWords = false) {
    this.rules = rules;
    this.#hasPythonWords = hasPythonWords;
    this.space = rules.add('| " " | "\\n" [ \\t]{0,40}');
  }

  /** A character of a string, possibly escaped. */
  get character(): string {
    return this.rules.add(character);
  }

  get string(): string {
    return this.quoted(`${this.character}*`);
  }

  /** Returns a string with the given content. */
  quoted(content: string): string {
    return this.rules.add(sequence('"\\""', content, '"\\""'));
  }

  get integer(): string {
    return this.rules.add('"-"? ("0" | [1-9] [0-9]{0,15})');
  }

  /** Any number, with as many digits as a double ever needs. */
  get number(): string {
    const whole = '"-"? ("0" | [1-9] [0-9]{0,20})';
    return this.rules.add(`${whole} ("." [0-9]{1,24})? ([eE] [-+]? [0-9]{1,3})?`);
  }

  get boolean(): string {
    return this.rules.add(`${this.#word("true", "True")} | ${this.#word("false", "False")}`);
  }

  get null(): string {
    return this.#word("null", "None");
  }

  #word(json: string, python: string): string {
    return this.#hasPythonWords ? `(${literal(json)} | ${literal(python)})` : literal(json);
  }

  /** Any value. */
  get value(): string {
    return this.rules.once(this.#hasPythonWords ? "Python's value" : "JSON's value", () =>
      [...[this.anyObject, this.anyList, this.string, this.number, this.boolean], this.null].join(
        " | ",
      ),
    );
  }

  get anyObject(): string {
    const member = this.member(this.string, this.value);
    return this.between("{", this.separated(member, 0, Number.POSITIVE_INFINITY), "}");
  }

  get anyList(): string {
    return this.between("[", this.separated(this.value, 0, Number.POSITIVE_INFINITY), "]");
  }

  member(key: string, value: string): string {
    return this.rules.add(sequence(key, '":"', this.smallSpace, value));
  }

  /** Returns a grammar for exactly this value. */
  constant(value: unknown): string {
    if (typeof value !== "object" || value === null) return literal(JSON.stringify(value));
    const comma = sequence('","', this.space);
    if (Array.isArray(value)) {
      return this.between("[", value.map((item) => this.constant(item)).join(` ${comma} `), "]");
    }
    const members = Object.entries(value).map(([key, item]) =>
      this.member(literal(JSON.stringify(key)), this.constant(item)),
    );
    return this.between("{", members.join(` ${comma} `), "}");
  }

  /** Puts `content` between two marks, with white space inside them. */
  between(open: string, content: string, close: string): string {
    const inner = content === "" ? "" : sequence(content, this.space);
    return this.rules.add(sequence(literal(open), this.space, inner, literal(close)));
  }

  /** Returns items separated by commas. */
  separated(item: string, minimum: number, maximum: number): string {
    if (maximum === 0) return "";
    const following = this.rules.repeat(
      sequence('","', this.space, item),
      Math.max(minimum - 1, 0),
      maximum - 1,
    );
    const items = sequence(item, following);
    return minimum === 0 ? `(${items})?` : items;
  }
}
