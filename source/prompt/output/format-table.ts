// The table of output formats.
import { deepseek, deepseekUnfenced } from "./formats/deepseek.ts";
import { functionaryRecipients, functionaryTags } from "./formats/functionary.ts";
import { gemma } from "./formats/gemma.ts";
import { genericFormat, plain } from "./formats/generic.ts";
import { harmony } from "./formats/harmony.ts";
import { hermes } from "./formats/hermes.ts";
import { kimi } from "./formats/kimi.ts";
import { lfm2 } from "./formats/lfm2.ts";
import { llama } from "./formats/llama.ts";
import { glm, minimax, seed } from "./formats/marked.ts";
import { mistral, mistralNamed } from "./formats/mistral.ts";
import {
  apriel,
  commandR,
  commandR7b,
  fireFunction,
  granite,
  nemotron,
  phi,
} from "./formats/tagged-json.ts";
import type { OutputFormatDefinition } from "./output-format.ts";

/** Looked through from the top for the first that a template belongs to: the specific ones first. */
export const formatTable = {
  harmony,
  functionaryRecipients,
  kimi,
  deepseekUnfenced,
  deepseek,
  mistralNamed,
  mistral,
  lfm2,
  gemma,
  commandR7b,
  commandR,
  seed,
  minimax,
  glm,
  functionaryTags,
  phi,
  granite,
  apriel,
  nemotron,
  fireFunction,
  hermes,
  llama,
} as const satisfies Record<string, OutputFormatDefinition>;

/**
 * A format: one of the table; `generic`, JSON calls behind a tag (`{` and `[`: as the whole answer);
 * or `plain`, an output without calls.
 */
export type OutputFormat =
  | { name: keyof typeof formatTable | "plain" }
  | { name: "generic"; tag: string };

export function definitionOf(format: OutputFormat): OutputFormatDefinition {
  if (format.name === "generic") return genericFormat(format.tag);
  return format.name === "plain" ? plain : formatTable[format.name];
}
