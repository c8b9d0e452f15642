// Grammar for arguments that are elements: members and items of a value are elements within its own.
import type { NestedCallForm } from "../output/output-format.ts";
import { isRecord, parametersOf, stringsOf, takesString, typeOf } from "../output/schema-facts.ts";
import { type CallItem, inAnyOrder } from "./argument-order.ts";
import { type GrammarRules, literal, sequence } from "./gbnf.ts";
import { schemaGrammar } from "./schema-grammar.ts";
import { textBefore } from "./text-before.ts";

/** A name that no schema declares. */
const anyName = "[A-Za-z0-9_.-]{1,64}";

export class NestedArguments {
  readonly #rules: GrammarRules;
  readonly #form: NestedCallForm;
  /** Between elements. */
  readonly #space: string;
  /** Text up to the next mark, with the mark: no value may hold it. */
  readonly #text: string;
  #anything: string | undefined;

  constructor(rules: GrammarRules, form: NestedCallForm, space: string) {
    this.#rules = rules;
    this.#form = form;
    this.#space = space;
    this.#text = textBefore(rules, form.mark);
  }

  /**
   * The members of an object, each an element of its name, in any order.
   *
   * @throws ProductError `PROMPT_SCHEMA_INVALID`, `PROMPT_SCHEMA_UNSUPPORTED`
   */
  members(schema: Record<string, unknown> | undefined): string {
    const items: CallItem[] = parametersOf(schema).map(({ name, schema: own, isRequired }) => ({
      isRequired,
      text: this.#element(name, own),
    }));
    return inAnyOrder(this.#rules, items);
  }

  #element(name: string, schema: unknown): string {
    const { mark } = this.#form;
    const end = `</${name}>`;
    return this.#rules.add(
      sequence(this.#space, literal(`${mark}<${name}>`), this.#valueAndMark(schema), literal(end)),
    );
  }

  /** A value, and the mark of the tag behind it. */
  #valueAndMark(schema: unknown): string {
    const mark = literal(this.#form.mark);
    const values = stringsOf(schema);
    if (values !== undefined) return sequence(this.#rules.either(values.map(literal)), mark);
    if (!isRecord(schema)) return this.#text;
    const { anyOf = schema.oneOf, properties, items } = schema;
    if (Array.isArray(anyOf)) {
      // Elements are a string's text, too, where a model takes another alternative.
      if (takesString(schema)) return this.#any;
      return this.#rules.either(anyOf.map((each) => this.#valueAndMark(each)));
    }
    switch (typeOf(schema)) {
      case "string":
        return this.#text;
      case "object":
        return isRecord(properties)
          ? sequence(this.members(schema), this.#space, mark)
          : this.#elements(anyName);
      case "array":
        return items === undefined
          ? this.#elements('"item"')
          : sequence(`${this.#element("item", items)}*`, this.#space, mark);
      default:
        return sequence(schemaGrammar(this.#rules, schema, { isLenient: true }), mark);
    }
  }

  /** Elements whose values have any form, and the mark behind them. */
  #elements(name: string): string {
    const mark = literal(this.#form.mark);
    const element = sequence(this.#space, mark, '"<"', name, '">"', this.#any, '"</"', name, '">"');
    return sequence(`(${element})*`, this.#space, mark);
  }

  /** A text or elements, and the mark behind it. */
  get #any(): string {
    if (this.#anything === undefined) {
      this.#anything = this.#rules.reserve();
      this.#rules.define(this.#anything, `${this.#text} | ${this.#elements(anyName)}`);
    }
    return this.#anything;
  }
}
