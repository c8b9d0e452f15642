// What is to be known of one format of tool calls; each file in formats/ describes one.
import type { Output } from "./output.ts";
import type { Reading } from "./output-text.ts";
import type { CallSyntax } from "./read-answer.ts";
import type { ThinkingTags } from "./thinking-block.ts";

/** One format, described. */
export interface OutputFormatDefinition {
  /** Whether a template of this text belongs to a model that writes this format. */
  isUsedBy(template: string): boolean;
  /** Control tokens of the format that must be printed for its outputs to be understood. */
  marks: readonly string[];
  /** Texts that end an answer besides the model's own end tokens. */
  stopTexts: readonly string[];
  /** How calls stand between the content; or, where thinking and content are marked as well, `read`. */
  calls?: CallSyntax;
  /**
   * Reads a whole output, thinking included.
   *
   * @param startsInThinking the prompt has opened the thinking already
   */
  read?(output: Output, startsInThinking: boolean): Reading;
  /** For a grammar that forces calls; undefined where they are not written around JSON. */
  shape: ToolCallShape | undefined;
  /** For a grammar that forces content: what stands around it. */
  frame?: { open: string; close: string };
  /** Only where the format itself decides how thinking is marked, as a grammar would write it. */
  thinking?: ThinkingTags;
}

/**
 * The text around the JSON of calls, so that a grammar can force them:
 * `opening`, then for each call `beforeName` NAME `beforeArguments` JSON `afterArguments`, with
 * `separator` between calls, then `closing`.
 */
export interface ToolCallShape {
  opening: string;
  beforeName: string;
  beforeArguments: string;
  afterArguments: string;
  /** Undefined: the format has one call in an answer. */
  separator: string | undefined;
  closing: string;
}

/** The shape of `{"name": …, "arguments": {…}}` between two marks. */
export function jsonCallShape(
  open: string,
  close: string,
  keys: { name: string; arguments: string } = { name: "name", arguments: "arguments" },
): Pick<ToolCallShape, "beforeName" | "beforeArguments" | "afterArguments"> {
  return {
    beforeName: `${open}{"${keys.name}": "`,
    beforeArguments: `", "${keys.arguments}": `,
    afterArguments: `}${close}`,
  };
}
