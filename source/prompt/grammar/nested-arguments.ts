// Grammar for arguments as elements: members and items are elements inside their value's element.
import { isRecord } from "../../base/json.ts";
import type { NestedCallForm } from "../output/output-format.ts";
import { parametersOf, stringsOf, takesString, typeOf } from "../output/schema-facts.ts";
import { type CallItem, inAnyOrder } from "./argument-order.ts";
import { type GrammarRules, literal, sequence } from "./gbnf.ts";
import { schemaGrammar } from "./schema-grammar.ts";
import { textBefore } from "./text-before.ts";

/** Name that no schema declares. */
const anyName = "[A-Za-z0-9_.-]{1,64}";

export class NestedArguments {
  readonly #rules: GrammarRules;
  readonly #form: NestedCallForm;
  /** White space between elements. */
  readonly #space: string;
  /** Text up to and including the next mark, which no value may contain. */
  readonly #text: string;
  #anything: string | undefined;

  constructor(rules: GrammarRules, form: NestedCallForm, space: string) {
    this.#rules = rules;
    this.#form = form;
    this.#space = space;
    this.#text = textBefore(rules, form.mark);
  }

  /**
   * Returns the members of an object, each an element with its name, in any order.
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

  /** Matches a value and the mark of the tag after it. */
  #valueAndMark(schema: unknown): string {
    const mark = literal(this.#form.mark);
    const values = stringsOf(schema);
    if (values !== undefined) return sequence(this.#rules.either(values.map(literal)), mark);
    if (!isRecord(schema)) return this.#text;
    const { anyOf = schema.oneOf, properties, items } = schema;
    if (Array.isArray(anyOf)) {
      // A string may contain elements too, if the model uses another alternative.
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

  /** Matches elements with values of any form, and the mark after them. */
  #elements(name: string): string {
    const mark = literal(this.#form.mark);
    const element = sequence(this.#space, mark, '"<"', name, '">"', this.#any, '"</"', name, '">"');
    return sequence(`(${element})*`, this.#space, mark);
  }

  /** Matches a text or elements, and the mark after them. */
  get #any(): string {
    if (this.#anything === undefined) {
      this.#anything = this.#rules.reserve();
      this.#rules.define(this.#anything, `${this.#text} | ${this.#elements(anyName)}`);
    }
    return this.#anything;
  }
}
