// Grammars that begin where a model by itself begins a call: until then its answer is free.
import { Turns } from "../../base/turns.ts";
import type { ToolDefinition } from "../chat-message.ts";
import type { OutputFormat } from "../output/format-table.ts";
import type { ToolCallShape } from "../output/output-format.ts";
import { callNotations } from "../output/tool-call-shape.ts";
import { CallRules } from "./call-rules.ts";
import { GrammarRules } from "./gbnf.ts";
import { digestOf, keptGrammar } from "./kept-grammars.ts";
import { schemaGrammar } from "./schema-grammar.ts";

export interface LazyGrammar {
  /** The text behind which the answer follows the grammar. */
  mark: string;
  /** The mark counts only as the beginning of the answer. */
  isOnlyAtStart: boolean;
  /**
   * In GBNF. Written when it is needed: most answers come to no mark.
   *
   * @throws ProductError `PROMPT_SCHEMA_INVALID`, `PROMPT_SCHEMA_UNSUPPORTED`
   */
  write(): string;
}

export interface LazyCallsOptions {
  tools: readonly ToolDefinition[];
  parallelToolCalls: boolean;
  /** How the model writes calls. */
  output: OutputFormat;
}

/**
 * For each mark with which the model may begin a call: what follows it up to the answer's end. Names
 * are those of the tools, arguments fit their schemas as far as a grammar can hold them, and white
 * space between marks is free. Empty for formats whose calls no grammar describes.
 */
export function lazyCallGrammars(options: LazyCallsOptions): LazyGrammar[] {
  if (options.tools.length === 0) return [];
  return callNotations(options.output).flatMap((notation) => {
    // Arguments that are written one by one must be known by name.
    if (notation.kind !== "json" && options.tools.some(takesUnknownArguments)) return [];
    if (notation.kind === "marked") {
      const { recipient } = notation;
      if (recipient !== undefined) {
        return options.tools.flatMap((tool) =>
          lazyGrammar(recipient(tool.name), false, options, (calls) =>
            calls.message(notation, tool),
          ),
        );
      }
      const mark = notation.open || notation.form.beforeName;
      return lazyGrammar(mark, false, options, (calls) => calls.marked(notation));
    }
    if (notation.kind === "listed") {
      return lazyGrammar(notation.open, false, options, (calls) => calls.listed(notation));
    }
    const { mark, isOnlyAtStart = false, shape } = notation;
    if (mark === "") return recipientGrammars(options, shape);
    return lazyGrammar(mark, isOnlyAtStart, options, (calls) => calls.json(notation));
  });
}

function takesUnknownArguments({ parameters }: ToolDefinition): boolean {
  if (parameters === undefined) return false;
  const { properties, additionalProperties = false } = parameters;
  return properties === undefined || additionalProperties !== false;
}

/** Where the tool's name itself is the mark: at the beginning, or behind the separator. */
function recipientGrammars(options: LazyCallsOptions, shape: ToolCallShape): LazyGrammar[] {
  return options.tools.flatMap((tool) => {
    const name = `${shape.beforeName}${tool.name}${shape.beforeArguments}`;
    const write = (calls: CallRules) => calls.behindName(tool, shape);
    return [
      ...lazyGrammar(name, true, options, write),
      ...lazyGrammar(`${shape.separator ?? ""}${name}`, false, options, write),
    ];
  });
}

function lazyGrammar(
  mark: string,
  isOnlyAtStart: boolean,
  options: LazyCallsOptions,
  write: (calls: CallRules) => string,
): LazyGrammar[] {
  const grammar = () => {
    const rules = new GrammarRules();
    return rules.text(write(new CallRules(rules, options.tools, options.parallelToolCalls)));
  };
  return [{ mark, isOnlyAtStart, write: () => keptGrammar([mark, options], grammar) }];
}

const mostChecked = 1000;
const checked = new Set<string>();

/**
 * Refuses what no grammar can express before anything is generated. Clients send the same tools with
 * every request: what was fine is remembered. Between tools others have their turn.
 *
 * @throws ProductError `PROMPT_SCHEMA_INVALID`, `PROMPT_SCHEMA_UNSUPPORTED`
 */
export async function checkToolSchemas(tools: readonly ToolDefinition[]): Promise<void> {
  const turns = new Turns();
  for (const { name, parameters } of tools) {
    if (parameters === undefined) continue;
    const key = digestOf(parameters);
    if (checked.has(key)) continue;
    const schema = { type: "object", ...parameters };
    schemaGrammar(new GrammarRules(), schema, { isLenient: true, owner: `tool "${name}"` });
    if (checked.size >= mostChecked) checked.clear();
    checked.add(key);
    await turns.next();
  }
}
