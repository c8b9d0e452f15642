// What is to be known of one format of tool calls; each file in formats/ describes one.
import type { Output } from "./output.ts";
import type { Reading } from "./output-text.ts";
import type { CallSyntax } from "./read-answer.ts";
import type { MarkedCallForm } from "./read-marked-call.ts";
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
  /**
   * For grammars that begin with a call: where models write calls otherwise than `shape`, which they
   * can be made to, but not by themselves. Absent: as `shape`.
   */
  notations?: readonly CallNotation[];
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

/** How a model writes calls by itself, behind the mark by which it is known that one begins. */
export type CallNotation = JsonCallNotation | MarkedCallNotation | ListedCallNotation;

/** Around JSON. */
export interface JsonCallNotation {
  kind: "json";
  /** What `opening` and `beforeName` of the shape begin with. */
  mark: string;
  /** The mark counts only as the beginning of an answer. */
  isOnlyAtStart?: boolean;
  shape: ToolCallShape;
  /** What stands between the name and `beforeArguments`, in GBNF. */
  header?: string;
}

/** Name and arguments between marks; `open` may be empty. */
export interface MarkedCallNotation {
  kind: "marked";
  /** What a message to a tool begins with, where calls are such messages: the mark of that tool. */
  recipient?(tool: string): string;
  open: string;
  form: MarkedCallForm | NestedCallForm;
  close: string;
}

/** Marks of calls whose arguments are elements, `<key>value</key>`, within one another. */
export interface NestedCallForm {
  /** Before and behind the tool's name. */
  beforeName: string;
  afterName: string;
  /** Before every tag of an element. */
  mark: string;
  /** Behind the last argument. */
  end: string;
}

/** Arguments one by one: `name(key=value, key=value)`. */
export interface ListedCallNotation {
  kind: "listed";
  open: string;
  afterName: string;
  afterKey: string;
  separator: string;
  end: string;
  /** Between calls; undefined: each has its own `open`. */
  callSeparator: string | undefined;
  close: string;
  /** The mark around strings, which are not escaped then; undefined: strings are JSON's. */
  quote: string | undefined;
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
