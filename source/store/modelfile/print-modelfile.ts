// Writes a model's definition as a Modelfile that reads back as the same definition.
import { isDeepStrictEqual } from "node:util";
import { quoteShort } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ModelDefinition } from "../model-definition.ts";
import { isParameterName, parameterKinds } from "../model-parameters.ts";
import { readParameterText } from "../parameter-values.ts";
import { ModelfileText } from "./modelfile-text.ts";
import { readCommands } from "./parse-modelfile.ts";
import { readVersion } from "./version-text.ts";

export interface PrintedModelfile {
  /** Ends with a newline. */
  text: string;
  unprintable: UnprintableField[];
}

/** A value, set over the API, that no Modelfile can express. */
export interface UnprintableField {
  /** `system`, `licenses[2]`, `parameters.stop[0]`, `messages[1]`. */
  field: string;
  /** Completes the sentence "`field` cannot be written: …". */
  reason: string;
}

/**
 * Writes commands in a fixed order, parameters by name, and quotes values only if needed. A field
 * that no Modelfile can express is listed in `unprintable`, and noted by a comment.
 *
 * Control characters are written as they are: code that prints to a terminal escapes them.
 *
 * @param comments lines to put at the top, without their `#`
 */
export function printModelfile(
  definition: ModelDefinition,
  comments: readonly string[] = [],
): PrintedModelfile {
  const printer = new Printer();
  printer.comments(comments);
  printer.list("FROM", "from", definition.from);
  if (definition.from.length === 0) printer.refuse("from", "there is no model to build from");
  printer.adapters(definition.adapters);
  printer.list("DRAFT", "drafts", definition.drafts);
  printer.optional("TEMPLATE", "template", definition.template);
  printer.optional("SYSTEM", "system", definition.system);
  printer.optional("RENDERER", "renderer", definition.renderer);
  printer.optional("PARSER", "parser", definition.parser);
  printer.optional("REQUIRES", "requires", definition.requires);
  printer.parameters(definition);
  printer.list("LICENSE", "licenses", definition.licenses);
  for (const [index, { role, content }] of definition.messages.entries()) {
    printer.value(`MESSAGE ${role}`, `messages[${index}]`, content, {
      messages: [{ role, content }],
    });
  }
  return printer.result();
}

class Printer {
  readonly #lines: string[] = [];
  readonly #unprintable: UnprintableField[] = [];

  result(): PrintedModelfile {
    return { text: `${this.#lines.join("\n")}\n`, unprintable: this.#unprintable };
  }

  comments(comments: readonly string[]): void {
    const lines = comments.flatMap((comment) => comment.toWellFormed().split(/[\r\n]/));
    for (const line of lines) this.#lines.push(line === "" ? "#" : `# ${line}`);
    if (lines.length > 0) this.#lines.push("");
  }

  refuse(field: string, reason: string): void {
    this.#unprintable.push({ field, reason });
    this.#lines.push(`# ${field} cannot be written in a Modelfile: ${reason}.`);
  }

  /**
   * Writes a command in the plainest form that reads back as `expected`.
   *
   * @param command including the key before the value, if it has one
   */
  value(
    command: string,
    field: string,
    value: string,
    expected: Partial<ModelDefinition>,
    problem = textProblem(value),
  ): void {
    const line = valueForms(value)
      .map((form) => `${command} ${form}`)
      .find((form) => readsBackAs(form, expected));
    if (line === undefined) this.refuse(field, problem);
    else this.#lines.push(line);
  }

  list(command: string, field: "from" | "drafts" | "licenses", values: readonly string[]): void {
    for (const [index, value] of values.entries()) {
      this.value(command, `${field}[${index}]`, value, { [field]: [value] });
    }
  }

  /** A Modelfile can name only one adapter. */
  adapters(adapters: readonly string[]): void {
    if (adapters.length > 1)
      this.refuse("adapters", "there are several, and a Modelfile allows one");
    else for (const path of adapters) this.value("ADAPTER", "adapters", path, { adapters: [path] });
  }

  optional(
    command: string,
    field: "template" | "system" | "renderer" | "parser" | "requires",
    value: string | undefined,
  ): void {
    if (value === undefined) return;
    const isOther = field === "requires" && readVersion(value) !== value;
    const problem = isOther ? "it is not a version such as 1.2.3" : textProblem(value);
    this.value(command, field, value, { [field]: value }, problem);
  }

  parameters({ parameters }: ModelDefinition): void {
    for (const [name, value] of Object.entries(parameters).toSorted(byName)) {
      if (value === undefined) continue;
      // An unknown name could break out of the comment.
      const field = `parameters.${isParameterName(name) ? name : quoteShort(name)}`;
      if (!Array.isArray(value)) this.#parameter(name, field, value);
      else if (value.length === 0) this.refuse(field, "it is an empty list");
      else {
        for (const [index, item] of value.entries()) {
          this.value(`PARAMETER ${name}`, `${field}[${index}]`, item, {
            parameters: { [name]: [item] },
          });
        }
      }
    }
  }

  #parameter(name: string, field: string, value: number | boolean | string): void {
    const text = Object.is(value, -0) ? "-0" : String(value);
    const expected = { parameters: { [name]: value } };
    this.value(`PARAMETER ${name}`, field, text, expected, parameterProblem(name, text));
  }
}

/** Returns the ways to write a value, the preferred one first. */
function valueForms(value: string): string[] {
  const once = `"${value}"`;
  const thrice = `"""${value}"""`;
  if (value === "") return [once];
  return value.includes('"') ? [value, thrice, once] : [value, once, thrice];
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

/** Checks with the parser itself that a line reads back as expected. */
function readsBackAs(line: string, expected: Partial<ModelDefinition>): boolean {
  if (!line.isWellFormed()) return false;
  const nothing = readCommands(new ModelfileText("")).definition;
  try {
    const { definition } = readCommands(new ModelfileText(`${line}\n`));
    return isDeepStrictEqual(definition, { ...nothing, ...expected });
  } catch (error) {
    if (error instanceof ProductError) return false;
    throw error;
  }
}

/** Explains why a text cannot be written. */
function textProblem(value: string): string {
  if (value === "") return "it is empty";
  if (!value.isWellFormed())
    return "it contains half of a surrogate pair, which is not a character";
  return "it has quotes at the end of a line, or a command-like line after quotes, which would end it early";
}

function parameterProblem(name: string, text: string): string {
  if (!isParameterName(name)) return "there is no such parameter";
  const read = readParameterText(name, text);
  return read.ok ? `it is not of the type ${parameterKinds[name].kind}` : `it ${read.problem}`;
}
