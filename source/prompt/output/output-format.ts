// Description of a tool-call format; each file in formats/ has one.
import type { Output } from "./output.ts";
import type { Reading } from "./output-text.ts";
import type { CallSyntax } from "./read-answer.ts";
import type { MarkedCallForm } from "./read-marked-call.ts";
import type { ThinkingTags } from "./thinking-block.ts";

/** Definition of one format. */
export interface OutputFormatDefinition {
  /** Returns true if a template belongs to a model that writes this format. */
  isUsedBy(template: string): boolean;
  /** Control tokens that must be printed so that outputs can be parsed. */
  marks?: readonly string[];
  /** Texts that end an answer besides the model's own end tokens. */
  stopTexts?: readonly string[];
  /** Syntax of calls between content; formats that also mark thinking and content use `read`. */
  calls?: CallSyntax;
  /**
   * Reads a whole output, including thinking.
   *
   * @param startsInThinking the prompt has already opened the thinking
   */
  read?(output: Output, startsInThinking: boolean): Reading;
  /** Shape for a grammar that forces calls; absent if calls are not written around JSON. */
  shape?: ToolCallShape;
  /**
   * Notations for grammars that start with a call, if models by themselves write calls differently from
   * `shape`. Absent: same as `shape`.
   */
  notations?: readonly CallNotation[];
  /** Text around forced content. */
  frame?: { open: string; close: string };
  /** Thinking tags as a grammar would write them, if the format itself defines them. */
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
  /** Undefined if the format allows one call per answer. */
  separator: string | undefined;
  closing: string;
}

/** Notation of calls that models write by themselves, with the mark that starts one. */
export type CallNotation = JsonCallNotation | MarkedCallNotation | ListedCallNotation;

/** Calls around JSON. */
export interface JsonCallNotation {
  kind: "json";
  /** Beginning of the shape's `opening` and `beforeName`. */
  mark: string;
  /** The mark counts only at the start of an answer. */
  isOnlyAtStart?: boolean;
  shape: ToolCallShape;
  /** GBNF for text between the name and `beforeArguments`. */
  header?: string;
}

/** Name and arguments between marks; `open` may be empty. */
export interface MarkedCallNotation {
  kind: "marked";
  /** Returns the start of a message to a tool, if calls are such messages: the tool's mark. */
  recipient?(tool: string): string;
  open: string;
  form: MarkedCallForm | NestedCallForm;
  close: string;
}

/** Marks of calls whose arguments are nested elements, `<key>value</key>`. */
export interface NestedCallForm {
  /** Before and after the tool's name. */
  beforeName: string;
  afterName: string;
  /** Before every tag of an element. */
  mark: string;
  /** After the last argument. */
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
  /** Separator of calls; undefined if each has its own `open`. */
  callSeparator: string | undefined;
  close: string;
  /** Mark around unescaped strings; undefined for JSON strings. */
  quote: string | undefined;
}

/** Returns the shape of one `{"name": …, "arguments": {…}}` between two marks. */
export function jsonCallShape(
  open: string,
  close: string,
  keys = { name: "name", arguments: "arguments" },
): ToolCallShape {
  return {
    opening: "",
    beforeName: `${open}{"${keys.name}": "`,
    beforeArguments: `", "${keys.arguments}": `,
    afterArguments: `}${close}`,
    separator: undefined,
    closing: "",
  };
}

/** Returns the shape of a list of such objects. */
export function listShape(
  open: string,
  close: string,
  keys?: Parameters<typeof jsonCallShape>[2],
): ToolCallShape {
  return {
    ...jsonCallShape("", "", keys),
    opening: `${open}[`,
    separator: ", ",
    closing: `]${close}`,
  };
}
