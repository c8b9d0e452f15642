// Parser part of the conformance run: llama.cpp's recorded outputs of real models through our
// parsers, at once and character by character. Alone: `node test/conformance/parsers.ts [CHECKOUT]`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ProductError } from "../../source/base/product-error.ts";
import { MarkWatcher } from "../../source/engine/text/mark-watcher.ts";
import type { ToolDefinition } from "../../source/prompt/chat-message.ts";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import {
  type DetectedOutputFormat,
  detectOutputFormat,
} from "../../source/prompt/output/detect-output-format.ts";
import { opensThinking } from "../../source/prompt/output/thinking-block.ts";
import { type Accepts, grammarReader } from "../prompt/grammar/llama-grammar.ts";
import { addUp, byCharacter, type ParsedOutput, piecesOf } from "../prompt/output/read-pieces.ts";
import { knownReason } from "./known-differences.ts";
import { type CaseMessage, extractCases, type ParserCase } from "./parser-cases.ts";

export interface ParserDifference {
  input: string;
  expected: ParsedOutput;
  whole: ParsedOutput;
  /** Set if it differs from the result of the whole output. */
  byCharacter?: ParsedOutput;
  /** True when the prompt could not be rendered, so that it is unknown if it opens the thinking. */
  isRendered: boolean;
  /** Reason for an intended difference. */
  known?: string;
}

/** Results of one template's cases. */
export interface ParserRow {
  family: string;
  format: string;
  right: number;
  of: number;
  /** Calls that a lazy grammar would have accepted, of those that would have started it. */
  held: number;
  begun: number;
  /** Outputs that the grammars would have rejected. */
  refused: string[];
  differences: ParserDifference[];
}

export const parsersPart = {
  name: "parsers",
  needs: ["git", "a C++ compiler (c++, or CXX)"],
  /** @param checkout a clone of llama.cpp, where `build-parsers` is the build folder */
  async run(checkout: string): Promise<ParserRow[]> {
    const cases = await extractCases(checkout, path.join(checkout, "build-parsers"));
    // Continued answers repeat the earlier text there, and a partial call is content here.
    const whole = cases.filter(({ continues, isPartial }) => !continues && !isPartial);
    if (whole.length < 300) throw new Error(`only ${whole.length} cases were found`);
    const byTemplate = Map.groupBy(whole, ({ template }) => template);
    const read = await grammarReader();
    return [...byTemplate].map(([template, own]) => rowOf(checkout, template, own, read));
  },
};

function rowOf(
  checkout: string,
  file: string,
  cases: readonly ParserCase[],
  read: (grammar: string) => Accepts,
): ParserRow {
  const source = readFileSync(path.join(checkout, file), "utf8");
  const output = detectOutputFormat(source, "jinja");
  const template = new ChatTemplate(source);
  const tails = cases.flatMap((each) => heldTail(each, template, output) ?? []);
  const refused = tails.filter(({ grammar, tail }) => !read(grammar)(tail.trimEnd()));
  const family = path.basename(file, ".jinja");
  const differences = cases.flatMap((each) => {
    const found = differenceOf(each, template, output);
    const known = knownReason("parsers", family, each.input);
    return found === undefined ? [] : { ...found, ...(known !== undefined && { known }) };
  });
  return {
    family,
    format: output.format.name,
    right: cases.length - differences.length,
    of: cases.length,
    held: tails.length - refused.length,
    begun: tails.length,
    refused: refused.map(({ tail }) => tail),
    differences,
  };
}

function differenceOf(
  each: ParserCase,
  template: ChatTemplate,
  output: DetectedOutputFormat,
): ParserDifference | undefined {
  const tools = toolsOf(each);
  const startsInThinking = opensItsThinking(each, template, output, tools);
  const options = {
    format: output.format,
    tools,
    thinking: output.thinking,
    startsInThinking: startsInThinking ?? false,
  };
  const whole = addUp(piecesOf(options, [each.input]));
  const slowly = addUp(piecesOf(options, byCharacter(each.input)));
  const isSame = isDeepStrictEqual(whole, slowly);
  const expected = parsedOf(each.expected);
  if (isSame && isAsExpected(whole, expected, each, output)) return undefined;
  return {
    input: each.input,
    expected,
    whole,
    ...(!isSame && { byCharacter: slowly }),
    isRendered: startsInThinking !== undefined,
  };
}

function toolsOf({ tools }: ParserCase): ToolDefinition[] {
  return tools.map(({ parameters, ...tool }) => ({ ...tool, parameters: JSON.parse(parameters) }));
}

/** Returns the text that a lazy grammar would have constrained; undefined in a case without calls. */
function heldTail(
  each: ParserCase,
  template: ChatTemplate,
  output: DetectedOutputFormat,
): { grammar: string; tail: string } | undefined {
  if (each.expected.calls.length === 0) return undefined;
  const tools = toolsOf(each);
  const { format, thinking } = output;
  const calls = { tools, parallelToolCalls: true, output: format };
  const startsInside = opensItsThinking(each, template, output, tools) ?? false;
  const watcher = new MarkWatcher({
    calls,
    thinking: thinking === undefined ? undefined : { ...thinking, startsInside },
  });
  const bytes = Buffer.from(each.input);
  for (let at = 0; at < bytes.length; at += 1) {
    const found = watcher.push(bytes.subarray(at, at + 1), 0);
    if (found !== undefined) {
      return { grammar: found.grammar.write(), tail: bytes.subarray(at + 1).toString() };
    }
  }
  return undefined;
}

/** Undefined when the prompt cannot be rendered. */
function opensItsThinking(
  { messages, thinks }: ParserCase,
  template: ChatTemplate,
  output: DetectedOutputFormat,
  tools: readonly ToolDefinition[],
): boolean | undefined {
  const conversation = {
    messages:
      messages.length === 0
        ? [{ role: "user" as const, content: "Hey there!" }]
        : messages.map(({ role, content, thinking }) => ({
            role: role as "user" | "assistant",
            content,
            thinking,
          })),
    tools,
    ...(output.thinking !== undefined && { think: thinks }),
  };
  const facts = { bosText: "", eosText: "", controlTexts: [] };
  try {
    return opensThinking(template.render(conversation, facts), output.thinking);
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}

function parsedOf({ content, thinking, calls }: CaseMessage): ParsedOutput {
  return {
    content,
    thought: thinking,
    calls: calls.map((call) => [call.name, JSON.parse(call.arguments)]),
  };
}

/** Ignores white space around texts, like llama.cpp's own comparison. */
function isAsExpected(
  actual: ParsedOutput,
  expected: ParsedOutput,
  { readsThinking }: ParserCase,
  { thinking }: DetectedOutputFormat,
): boolean {
  if (!isDeepStrictEqual(actual.calls, expected.calls)) return false;
  if (readsThinking) {
    return (
      actual.content.trim() === expected.content.trim() &&
      actual.thought.trim() === withoutOpening(expected.thought.trim(), thinking?.open).trim()
    );
  }
  // Thinking is always parsed here, so these cases only check that no text is lost.
  const tags = thinking === undefined ? [] : [thinking.open, thinking.close, "<|end|>"];
  const text = tags.reduce((rest, tag) => rest.replace(tag, ""), expected.content);
  return withoutSpace(actual.thought + actual.content) === withoutSpace(text + expected.thought);
}

/** llama.cpp counts an opening tag that the prompt or the model repeats as thinking. */
function withoutOpening(thought: string, open: string | undefined): string {
  return open !== undefined && thought.startsWith(open) ? thought.slice(open.length) : thought;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, "");
}

/** Returns one line for each template, then their sum. */
export function parserTable(rows: readonly ParserRow[]): string {
  const lines = rows.map((row) =>
    [
      row.family.padEnd(48),
      row.format.padEnd(20),
      `${row.right}/${row.of}`.padEnd(8),
      row.begun === 0 ? "" : `held ${row.held}/${row.begun}`,
    ].join(" "),
  );
  const sum = (key: "right" | "of" | "held" | "begun") =>
    rows.reduce((total, row) => total + row[key], 0);
  const total = `all ${sum("right")} of ${sum("of")}, held ${sum("held")} of ${sum("begun")}`;
  return [...lines, total].join("\n");
}

if (import.meta.main) {
  const [given] = process.argv.slice(2);
  const folder = given ?? mkdtempSync(path.join(tmpdir(), "modelctl-conformance-"));
  if (given === undefined) {
    const bundle = path.join(
      import.meta.dirname,
      "../../node_modules/node-llama-cpp/llama/gitRelease.bundle",
    );
    execFileSync("git", ["clone", "--quiet", bundle, folder], { stdio: "ignore" });
  }
  const rows = await parsersPart.run(folder);
  console.log(parserTable(rows));
  if (given !== undefined) {
    writeFileSync(path.join(folder, "build-parsers/parsers.json"), JSON.stringify(rows, null, 2));
  } else rmSync(folder, { recursive: true });
}
