// Grammars that apply once a model starts a call; until then its answer is free.
import { Turns } from "../../base/turns.ts";
import type { ToolDefinition } from "../chat-message.ts";
import { looseStarts } from "../output/compact-start.ts";
import { callNotations, type OutputFormat } from "../output/format-table.ts";
import type { ToolCallShape } from "../output/output-format.ts";
import { CallRules } from "./call-rules.ts";
import { GrammarRules } from "./gbnf.ts";
import { cachedGrammar, digestOf } from "./grammar-cache.ts";
import { schemaGrammar } from "./schema-grammar.ts";

export interface LazyGrammar {
  /** Text after which the answer follows the grammar. */
  mark: string;
  /** The mark counts only at the start of the answer. */
  isOnlyAtStart: boolean;
  /** White space between the mark's characters does not matter, except within strings. */
  isCompact?: boolean;
  /**
   * Returns the grammar in GBNF. Created on demand: most answers contain no mark.
   *
   * @throws ProductError `PROMPT_SCHEMA_INVALID`, `PROMPT_SCHEMA_UNSUPPORTED`
   */
  write(): string;
}

export interface LazyCallsOptions {
  tools: readonly ToolDefinition[];
  parallelToolCalls: boolean;
  /** Format in which the model writes calls. */
  output: OutputFormat;
  /** Answers that begin with a call without marks follow its grammar too. */
  readsLooseCalls?: boolean;
}

/**
 * Returns a grammar for each mark that may begin a call, from the mark to the answer's end. Names are
 * those of the tools, arguments follow their schemas as far as a grammar can, and white space between
 * marks is free. Empty for formats without a grammar of calls.
 */
export function lazyCallGrammars(options: LazyCallsOptions): LazyGrammar[] {
  if (options.tools.length === 0) return [];
  const loose = options.readsLooseCalls ? looseGrammars(options) : [];
  return [...markedGrammars(options), ...loose];
}

function looseGrammars(options: LazyCallsOptions): LazyGrammar[] {
  return looseStarts(options.tools).flatMap(({ mark, tool, wrapper }) =>
    lazyGrammar(mark, true, options, (calls) => calls.loose(tool, wrapper)).map((grammar) => ({
      ...grammar,
      isCompact: true,
    })),
  );
}

function markedGrammars(options: LazyCallsOptions): LazyGrammar[] {
  return callNotations(options.output).flatMap((notation) => {
    // Arguments written one by one must have declared names.
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

/** Returns grammars for tools whose name itself is the mark: at the start, or after the separator. */
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
  return [{ mark, isOnlyAtStart, write: () => cachedGrammar([mark, options], grammar) }];
}

const maxChecked = 1000;
const checked = new Set<string>();

/**
 * Refuses unsupported schemas before anything is generated. Clients send the same tools with every
 * request, so valid ones are cached. Yields to other requests between tools.
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
    if (checked.size >= maxChecked) checked.clear();
    checked.add(key);
    await turns.next();
  }
}
