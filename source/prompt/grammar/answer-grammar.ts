// Grammar of a whole answer: thinking, then JSON of a given form, or tool calls.
import { ProductError } from "../../base/product-error.ts";
import type { ToolDefinition } from "../chat-message.ts";
import { promptErrors } from "../errors.ts";
import {
  answerFrame,
  callNotations,
  type OutputFormat,
  toolCallShape,
} from "../output/format-table.ts";
import type { ToolCallShape } from "../output/output-format.ts";
import type { ThinkingTags } from "../output/thinking-block.ts";
import { CallRules } from "./call-rules.ts";
import { addClientGrammar } from "./client-grammar.ts";
import { GrammarRules, literal, sequence } from "./gbnf.ts";
import { cachedGrammar } from "./grammar-cache.ts";
import { JsonRules } from "./json-rules.ts";
import { schemaGrammar } from "./schema-grammar.ts";
import { textBefore } from "./text-before.ts";

export interface AnswerGrammarOptions {
  /** Format of the content: any JSON object, a schema, or a grammar in GBNF. */
  format:
    | { kind: "json" }
    | { kind: "schema"; schema: unknown }
    | { kind: "grammar"; gbnf: string }
    | undefined;
  tools: readonly ToolDefinition[];
  toolChoice: "auto" | "none" | "required" | { name: string };
  parallelToolCalls: boolean;
  /** Format in which the model writes calls. */
  output: OutputFormat;
  /** Undefined if the model is not to think. */
  thinking: ThinkingTags | undefined;
  /** The prompt has already opened the thinking block. */
  startsInThinking: boolean;
}

/**
 * Returns a grammar in GBNF, or undefined for a free answer. Thinking is always free; the grammar
 * applies after it. With a format and tools that may be called, an answer is either content or calls.
 *
 * Arguments of calls follow the tools' schemas as far as a grammar can: tools come from many sources,
 * and one unusual keyword should not make a call impossible.
 *
 * @throws ProductError `PROMPT_SCHEMA_INVALID`, `PROMPT_SCHEMA_UNSUPPORTED`,
 *   `PROMPT_TOOL_CHOICE_UNSUPPORTED`, `PROMPT_GRAMMAR_INVALID`
 */
export function answerGrammar(options: AnswerGrammarOptions): string | undefined {
  const { format, toolChoice } = options;
  const mustCall = typeof toolChoice === "object" || toolChoice === "required";
  if (format === undefined && !mustCall) return undefined;
  return cachedGrammar(options, () => write(options, mustCall));
}

function write(options: AnswerGrammarOptions, mustCall: boolean): string {
  const { format, toolChoice } = options;
  const rules = new GrammarRules();
  const answers: string[] = [];
  if (format !== undefined && !mustCall)
    answers.push(contentGrammar(rules, format, options.output));
  if (toolChoice !== "none" && (mustCall || options.tools.length > 0)) {
    const calls = callsGrammar(rules, options, mustCall);
    if (calls !== undefined) answers.push(calls);
  }
  return rules.text(sequence(thinkingGrammar(rules, options), rules.either(answers)));
}

function contentGrammar(
  rules: GrammarRules,
  format: NonNullable<AnswerGrammarOptions["format"]>,
  output: OutputFormat,
): string {
  const { open, close } = answerFrame(output);
  return sequence(quoted(open), contentRule(rules, format), quoted(close));
}

function contentRule(
  rules: GrammarRules,
  format: NonNullable<AnswerGrammarOptions["format"]>,
): string {
  if (format.kind === "grammar") return addClientGrammar(rules, format.gbnf);
  return format.kind === "json"
    ? new JsonRules(rules).anyObject
    : schemaGrammar(rules, format.schema);
}

function thinkingGrammar(
  rules: GrammarRules,
  { thinking, startsInThinking }: AnswerGrammarOptions,
): string {
  if (thinking === undefined) return "";
  const block = sequence(textBefore(rules, thinking.close), "[ \\n]{0,4}");
  if (startsInThinking) return block;
  return `(${sequence(literal(thinking.open), block)})?`;
}

/** Returns undefined if calls are not required and have no grammar. */
function callsGrammar(
  rules: GrammarRules,
  { tools, toolChoice, parallelToolCalls, output }: AnswerGrammarOptions,
  mustCall: boolean,
): string | undefined {
  const shape = toolCallShape(output);
  const notations = shape === undefined ? callNotations(output) : [];
  if (shape === undefined && notations.length === 0) {
    if (!mustCall) return undefined;
    throw cannotForce("the grammar of this model's calls is unknown", "Use tool_choice auto.");
  }
  const callable =
    typeof toolChoice === "object" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  if (callable.length === 0) {
    const which = typeof toolChoice === "object" ? `no tool named "${toolChoice.name}"` : "no tool";
    throw cannotForce(`there is ${which} in the request`, "Name one of the tools.");
  }
  if (shape === undefined) {
    const calls = new CallRules(rules, callable, parallelToolCalls);
    return rules.either(notations.flatMap((notation) => calls.whole(notation) ?? []));
  }
  const call = rules.either(callable.map((tool) => callGrammar(rules, tool, shape)));
  const isSeveral = parallelToolCalls && shape.separator !== undefined;
  const following = isSeveral ? `(${sequence(quoted(shape.separator ?? ""), call)})*` : "";
  return sequence(quoted(shape.opening), call, following, quoted(shape.closing));
}

function callGrammar(rules: GrammarRules, tool: ToolDefinition, shape: ToolCallShape): string {
  const isInJson = shape.beforeName.endsWith('"');
  const name = isInJson ? JSON.stringify(tool.name).slice(1, -1) : tool.name;
  // Arguments are always an object, even if the schema does not say so.
  const schema = { type: "object", ...tool.parameters };
  return rules.add(
    sequence(
      quoted(shape.beforeName + name + shape.beforeArguments),
      schemaGrammar(rules, schema, { isLenient: true, owner: `tool "${tool.name}"` }),
      quoted(shape.afterArguments),
    ),
  );
}

function quoted(text: string): string {
  return text === "" ? "" : literal(text);
}

function cannotForce(reason: string, hint: string): ProductError {
  return new ProductError(promptErrors.toolChoiceUnsupported, {
    message: `A tool call cannot be forced: ${reason}.`,
    hint,
    param: "tool_choice",
  });
}
