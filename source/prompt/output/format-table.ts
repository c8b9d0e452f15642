// Table of output formats, and the texts around calls and answers that grammars need.
import { apertus } from "./formats/apertus.ts";
import { deepseek, deepseekUnfenced } from "./formats/deepseek.ts";
import { deepseekDsml } from "./formats/deepseek-dsml.ts";
import { functionaryRecipients, functionaryTags } from "./formats/functionary.ts";
import { gemma } from "./formats/gemma.ts";
import { genericFormat, plain } from "./formats/generic.ts";
import { harmony } from "./formats/harmony.ts";
import { hermes } from "./formats/hermes.ts";
import { kimi } from "./formats/kimi.ts";
import { kimiK3 } from "./formats/kimi-k3.ts";
import { lfm2 } from "./formats/lfm2.ts";
import { llama } from "./formats/llama.ts";
import { glm, minimax, qwenCoder, seed } from "./formats/marked.ts";
import { minicpm } from "./formats/minicpm.ts";
import { minimaxM3 } from "./formats/minimax-m3.ts";
import { mistral, mistralNamed } from "./formats/mistral.ts";
import { muse } from "./formats/muse.ts";
import {
  apriel,
  aprielThinker,
  cohere2moe,
  commandR,
  commandR7b,
  fireFunction,
  gigachat,
  gigachatMarked,
  granite,
  nemotron,
  phi,
} from "./formats/tagged-json.ts";
import type { CallNotation, OutputFormatDefinition, ToolCallShape } from "./output-format.ts";

/** The first format that a template matches is used: specific ones come first. */
export const formatTable = {
  harmony,
  functionaryRecipients,
  kimi,
  kimiK3,
  muse,
  deepseekDsml,
  deepseekUnfenced,
  deepseek,
  mistralNamed,
  mistral,
  lfm2,
  gemma,
  apertus,
  gigachatMarked,
  gigachat,
  cohere2moe,
  commandR7b,
  commandR,
  seed,
  minimaxM3,
  minimax,
  minicpm,
  glm,
  functionaryTags,
  phi,
  granite,
  aprielThinker,
  apriel,
  nemotron,
  fireFunction,
  qwenCoder,
  hermes,
  llama,
} as const satisfies Record<string, OutputFormatDefinition>;

/**
 * Format of an output: one of the table; `generic`, JSON calls after a tag (`{` and `[`: as the whole
 * answer); or `plain`, an output without calls.
 */
export type OutputFormat =
  | { name: keyof typeof formatTable | "plain" }
  | { name: "generic"; tag: string };

export function definitionOf(format: OutputFormat): OutputFormatDefinition {
  if (format.name === "generic") return genericFormat(format.tag);
  return format.name === "plain" ? plain : formatTable[format.name];
}

/** Returns true if calls stand between content, so that calls without marks can be told from it. */
export function hasMarkedCalls(format: OutputFormat): boolean {
  return definitionOf(format).calls !== undefined;
}

/** Returns undefined if calls cannot be forced, since they are not written around JSON. */
export function toolCallShape(format: OutputFormat): ToolCallShape | undefined {
  return definitionOf(format).shape;
}

/** Returns the notations that a model uses by itself: those of its format, else the forced shape. */
export function callNotations(format: OutputFormat): readonly CallNotation[] {
  const { notations, shape, calls } = definitionOf(format);
  if (notations !== undefined) return notations;
  if (shape === undefined) return [];
  const before = (shape.opening + shape.beforeName).trimStart();
  if (before === "") return [{ kind: "json", mark: "", shape }];
  const opening = calls?.openings.find((each) => before.startsWith(each));
  const trimmed = { ...shape, opening: shape.opening.trimStart() };
  if (opening !== undefined) return [{ kind: "json", mark: opening, shape: trimmed }];
  // Without a mark, a call is recognised only at the start of an answer, by its name.
  return [
    { kind: "json", mark: before, isOnlyAtStart: true, shape: trimmed },
    ...compactNotation(trimmed),
  ];
}

/** Adds the shape without the white space that some models leave out. */
function compactNotation(shape: ToolCallShape): CallNotation[] {
  const compact = {
    ...shape,
    opening: shape.opening.replaceAll(" ", ""),
    beforeName: shape.beforeName.replaceAll(" ", ""),
  };
  const mark = compact.opening + compact.beforeName;
  return [{ kind: "json", mark, isOnlyAtStart: true, shape: compact }];
}

/** Returns the text around an answer that is not a call. */
export function answerFrame(format: OutputFormat): { open: string; close: string } {
  return definitionOf(format).frame ?? { open: "", close: "" };
}
