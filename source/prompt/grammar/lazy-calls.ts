// Grammars that begin where a model by itself begins a call: until then its answer is free.
import type { ToolDefinition } from "../chat-message.ts";
import type { OutputFormat } from "../output/format-table.ts";
import type { ToolCallShape } from "../output/output-format.ts";
import { callNotations } from "../output/tool-call-shape.ts";
import { CallRules } from "./call-rules.ts";
import { GrammarRules } from "./gbnf.ts";

export interface LazyGrammar {
  /** The text behind which the answer follows the grammar. */
  mark: string;
  /** The mark counts only as the beginning of the answer. */
  isOnlyAtStart: boolean;
  /** In GBNF. */
  grammar: string;
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
 *
 * @throws ProductError `PROMPT_SCHEMA_INVALID`, `PROMPT_SCHEMA_UNSUPPORTED`
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
  { tools, parallelToolCalls }: LazyCallsOptions,
  write: (calls: CallRules) => string,
): LazyGrammar[] {
  const rules = new GrammarRules();
  const root = write(new CallRules(rules, tools, parallelToolCalls));
  return [{ mark, isOnlyAtStart, grammar: rules.text(root) }];
}
