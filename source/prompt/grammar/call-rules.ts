// Grammar rules of calls as models write them, from after the mark that begins them.
import type { ToolDefinition } from "../chat-message.ts";
import type { LooseWrapper } from "../output/compact-start.ts";
import type {
  CallNotation,
  JsonCallNotation,
  ListedCallNotation,
  MarkedCallNotation,
  NestedCallForm,
  ToolCallShape,
} from "../output/output-format.ts";
import type { MarkedCallForm } from "../output/read-marked-call.ts";
import { parametersOf, stringsOf, typeOf } from "../output/schema-facts.ts";
import { inAnyOrder, inDeclaredOrder } from "./argument-order.ts";
import { type GrammarRules, literal, sequence } from "./gbnf.ts";
import { NestedArguments } from "./nested-arguments.ts";
import { propertyGrammars, schemaGrammar } from "./schema-grammar.ts";
import { textBefore } from "./text-before.ts";

export class CallRules {
  readonly #rules: GrammarRules;
  readonly #tools: readonly ToolDefinition[];
  readonly #isParallel: boolean;
  /** White space between marks; bounded, so that a model cannot continue it forever. */
  readonly #space: string;
  readonly #properties = new Map<ToolDefinition, (property: string) => string>();
  readonly #forms = new Map<MarkedCallForm | NestedCallForm, string>();
  readonly #flexibleTexts = new Map<string, string>();
  #nested: NestedArguments | undefined;

  constructor(rules: GrammarRules, tools: readonly ToolDefinition[], isParallel: boolean) {
    this.#rules = rules;
    this.#tools = tools;
    this.#isParallel = isParallel;
    this.#space = rules.add("[ \\t\\n]{0,12}");
  }

  json({ mark, shape, header = "" }: JsonCallNotation): string {
    const { opening, beforeName } = shape;
    const calls = this.#tools.map((tool) => {
      const isInJson = beforeName.endsWith('"');
      const name = isInJson ? JSON.stringify(tool.name).slice(1, -1) : tool.name;
      return this.#rules.add(sequence(literal(name), header, this.#jsonArguments(tool, shape)));
    });
    const call = this.#rules.either(calls);
    const first = sequence(this.#beforeName((opening + beforeName).slice(mark.length)), call);
    const next = sequence(this.#beforeName(beforeName), call);
    const closing = shape.closing === "" ? "" : this.#flexible(` ${shape.closing}`);
    return sequence(first, this.#following(shape.separator, next), closing);
  }

  /** Returns the rest of a call after a tool's name, for shapes without a mark before the name. */
  behindName(tool: ToolDefinition, shape: ToolCallShape): string {
    const next = this.#tools.map((each) =>
      sequence(literal(shape.beforeName + each.name), this.#jsonArguments(each, shape)),
    );
    const following = this.#following(shape.separator, this.#rules.either(next));
    return sequence(this.#argumentsObject(tool), this.#flexible(shape.afterArguments), following);
  }

  /** Returns the rest of a call without marks, from its arguments on. */
  loose(tool: ToolDefinition, { separator, close }: LooseWrapper): string {
    const next = this.#tools.map((each) =>
      sequence(
        this.#flexible(`{ "name": ${JSON.stringify(each.name)}, "arguments": `),
        this.#argumentsObject(each),
        this.#flexible(" }"),
      ),
    );
    return sequence(
      this.#space,
      this.#argumentsObject(tool),
      this.#flexible(" }"),
      this.#following(separator, this.#rules.either(next)),
      this.#flexible(` ${close}`),
    );
  }

  /** Returns whole calls, for an answer that must be one; undefined if no grammar describes them. */
  whole(notation: CallNotation): string | undefined {
    if (notation.kind === "json") return undefined;
    if (notation.kind === "listed") return sequence(literal(notation.open), this.listed(notation));
    const { recipient, open, form } = notation;
    if (recipient === undefined) {
      return sequence(literal(open || form.beforeName), this.marked(notation));
    }
    return this.#rules.either(
      this.#tools.map((tool) =>
        sequence(literal(recipient(tool.name)), this.message(notation, tool)),
      ),
    );
  }

  /** Returns the content of a message to a tool: one call of the tool. */
  message({ open, form, close }: MarkedCallNotation, tool: ToolDefinition): string {
    return sequence(
      literal(open),
      this.#space,
      literal(form.beforeName),
      this.#markedCall(tool, form),
      this.#space,
      literal(close),
    );
  }

  marked({ open, form, close }: MarkedCallNotation): string {
    const call = this.#markedCalls(form);
    const next = sequence(this.#flexible(form.beforeName), call);
    if (open === "") {
      // `close` is optional, since the mark that it closes was left out.
      const end = close === "" ? "" : `(${this.#flexible(` ${close}`)})?`;
      return sequence(call, this.#following("", next), end);
    }
    // Without a mark before the name, every call has its own opening; otherwise it may have one.
    const others = form.beforeName === "" ? "" : this.#following("", next);
    const block = this.#rules.add(
      sequence(this.#space, next, others, close === "" ? "" : this.#flexible(` ${close}`)),
    );
    return sequence(block, this.#following("", sequence(literal(open), block)));
  }

  /** Returns a call of any tool; notations of one format share a form. */
  #markedCalls(form: MarkedCallForm | NestedCallForm): string {
    const known = this.#forms.get(form);
    if (known !== undefined) return known;
    const call = this.#rules.either(this.#tools.map((tool) => this.#markedCall(tool, form)));
    this.#forms.set(form, call);
    return call;
  }

  #markedCall(tool: ToolDefinition, form: MarkedCallForm | NestedCallForm): string {
    return this.#rules.add(
      sequence(
        literal(tool.name),
        this.#flexible(form.afterName),
        "mark" in form ? this.#elements(tool, form) : this.#markedArguments(tool, form),
        this.#flexible(` ${form.end}`),
      ),
    );
  }

  #elements({ parameters }: ToolDefinition, form: NestedCallForm): string {
    this.#nested ??= new NestedArguments(this.#rules, form, this.#space);
    return this.#nested.members(parameters);
  }

  #markedArguments(tool: ToolDefinition, form: MarkedCallForm): string {
    const items = parametersOf(tool.parameters).map(({ name, schema, isRequired }) => ({
      isRequired,
      text: this.#markedArgument(tool, name, schema, form),
    }));
    const attributes = this.#attributes(form, form.attributes?.ofName);
    return sequence(attributes, inAnyOrder(this.#rules, items));
  }

  listed(notation: ListedCallNotation): string {
    const { open, afterName, afterKey, separator, end, callSeparator, close, quote } = notation;
    const between = separator === "" ? "" : this.#flexible(` ${separator} `);
    const calls = this.#tools.map((tool) => {
      const items = parametersOf(tool.parameters).map(({ name, schema, isRequired }) => ({
        isRequired,
        text: sequence(
          literal(name + afterKey),
          quote === undefined
            ? this.#propertyValue(tool, name, true)
            : this.#quotedValue(tool, name, schema, quote),
        ),
      }));
      const members = inDeclaredOrder(this.#rules, items, between);
      return this.#rules.add(sequence(literal(tool.name + afterName), members, literal(end)));
    });
    const call = this.#rules.either(calls);
    if (callSeparator !== undefined) {
      return sequence(call, this.#following(callSeparator, call), this.#flexible(close));
    }
    const next = sequence(literal(open), call, this.#flexible(close));
    return sequence(call, this.#flexible(close), this.#following("", next));
  }

  /** Returns further calls if several are allowed; white space may precede each. */
  #following(separator: string | undefined, call: string): string {
    if (!this.#isParallel || separator === undefined) return "";
    const between = separator.trim();
    return `(${sequence(this.#space, between === "" ? "" : literal(between), this.#space, call)})*`;
  }

  /** Matches a text with more or less white space, and any number in place of another. */
  #flexible(text: string): string {
    const known = this.#flexibleTexts.get(text);
    if (known !== undefined) return known;
    const parts = text.split(/(\s+|\d+|(?<=[[{])(?=["{]))/).map((part, index) => {
      if (index % 2 === 0) return part === "" ? "" : literal(part);
      return /\d/.test(part) ? "[0-9]{1,4}" : this.#space;
    });
    const flexible = sequence(...parts);
    this.#flexibleTexts.set(text, flexible);
    return flexible;
  }

  /** Allows an id or a type before the name or after the arguments, which models may add. */
  #beforeName(text: string): string {
    const [, brace, key] = /^([\s\S]*\{)("\w+":\s*")$/.exec(text) ?? [];
    if (brace === undefined || key === undefined) return this.#flexible(text);
    const member = sequence(this.#idMember(), '","', this.#space);
    return sequence(this.#flexible(brace), this.#space, `(${member})?`, this.#flexible(key));
  }

  #idMember(): string {
    const key = '("tool_call_id" | "id" | "type")';
    return this.#rules.add(
      sequence('"\\""', key, '"\\":"', this.#space, '"\\"" [A-Za-z0-9_-]{1,40} "\\""'),
    );
  }

  #jsonArguments(tool: ToolDefinition, shape: ToolCallShape): string {
    const { beforeArguments, afterArguments } = shape;
    const id = afterArguments.startsWith("}")
      ? `(${sequence('","', this.#space, this.#idMember())})? ${this.#space}`
      : "";
    return sequence(
      this.#flexible(beforeArguments),
      this.#argumentsObject(tool),
      id,
      this.#flexible(afterArguments),
    );
  }

  #argumentsObject({ name, parameters }: ToolDefinition): string {
    // Arguments are always an object, even if the schema does not say so.
    const schema = { type: "object", ...parameters };
    return schemaGrammar(this.#rules, schema, { isLenient: true, owner: `tool "${name}"` });
  }

  #propertyValue(tool: ToolDefinition, property: string, hasPythonWords = false): string {
    const { name, parameters } = tool;
    const options = { isLenient: true, owner: `tool "${name}"`, hasPythonWords };
    const known = this.#properties.get(tool);
    const values = known ?? propertyGrammars(this.#rules, parameters, options);
    this.#properties.set(tool, values);
    return values(property);
  }

  #markedArgument(
    tool: ToolDefinition,
    name: string,
    schema: unknown,
    form: MarkedCallForm,
  ): string {
    const type = typeOf(schema);
    const values = stringsOf(schema);
    const value =
      values !== undefined
        ? sequence('"\\n"?', this.#rules.either(values.map(literal)), '"\\n"?')
        : sequence(this.#space, this.#propertyValue(tool, name), this.#space);
    return sequence(
      this.#flexible(` ${form.beforeKey}`),
      literal(name),
      literal(form.afterKey),
      this.#attributes(form, form.attributes?.ofArgument(type)),
      form.beforeValue === undefined ? "" : this.#flexible(` ${form.beforeValue}`),
      type === "string" && values === undefined
        ? this.#freeText(form)
        : sequence(value, literal(form.afterValue)),
    );
  }

  #freeText({ afterValue, verbatim }: MarkedCallForm): string {
    const text = textBefore(this.#rules, afterValue);
    if (verbatim === undefined) return text;
    const inside = textBefore(this.#rules, verbatim.close);
    return this.#rules.either([
      text,
      sequence(literal(verbatim.open), inside, literal(afterValue)),
    ]);
  }

  #attributes({ attributes }: MarkedCallForm, written: string | undefined): string {
    if (attributes === undefined || written === undefined) return "";
    // The mark before the attributes includes the quote that ends the name.
    return sequence(this.#flexible(written), literal(attributes.end));
  }

  /** Returns a value with marked strings; nested values follow only their basic form. */
  #quotedValue(tool: ToolDefinition, name: string, schema: unknown, quote: string): string {
    const values = stringsOf(schema);
    if (values !== undefined) {
      return this.#rules.either(values.map((value) => literal(quote + value + quote)));
    }
    const type = typeOf(schema);
    if (type === "string") return sequence(literal(quote), textBefore(this.#rules, quote));
    if (type === "array" || type === "object") return this.#anyQuotedValue(quote);
    return this.#propertyValue(tool, name);
  }

  #anyQuotedValue(quote: string): string {
    const value = this.#rules.reserve();
    const member = this.#rules.add(`[A-Za-z0-9_.-]{1,64} ":" ${value}`);
    const string = sequence(literal(quote), textBefore(this.#rules, quote));
    this.#rules.define(
      value,
      [
        string,
        '"-"? [0-9]{1,16} ("." [0-9]{1,16})?',
        '"true" | "false" | "null"',
        `"[" (${value} ("," ${value})*)? "]"`,
        `"{" (${member} ("," ${member})*)? "}"`,
      ].join(" | "),
    );
    return value;
  }
}
