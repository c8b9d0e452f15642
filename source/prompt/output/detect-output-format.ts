// Detection of a model's format for thinking and tool calls from its chat template.
import { definitionOf, formatTable, type OutputFormat } from "./format-table.ts";
import { textsAroundThinking, toolCallTag } from "./go-template-text.ts";
import type { ThinkingTags } from "./thinking-block.ts";

export interface DetectedOutputFormat {
  format: OutputFormat;
  /** Undefined if the template has no thinking. */
  thinking: ThinkingTags | undefined;
  /**
   * Texts that the parser needs to see. Control tokens among them must be printed, though control tokens
   * usually are not.
   */
  visibleControlTexts: string[];
  /** Texts that end an answer besides the model's own end tokens. */
  stopTexts: string[];
}

/** Tags around thinking, used if the template contains the closing one too. */
const thinkingTags: readonly ThinkingTags[] = [
  { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
  { open: "<seed:think>", close: "</seed:think>" },
  { open: "<|inner_prefix|>", close: "<|inner_suffix|>" },
  { open: "<|channel>thought", close: "<channel|>" },
  { open: "[THINK]", close: "[/THINK]" },
  { open: "<think>", close: "</think>" },
  { open: "<mm:think>", close: "</mm:think>" },
  { open: "<thinking>", close: "</thinking>" },
  { open: "<thought>", close: "</thought>" },
  { open: "<reasoning>", close: "</reasoning>" },
  { open: "<reason>", close: "</reason>" },
];

/**
 * @param templateKind `jinja` as in GGUF files, `go` as in Modelfiles
 */
export function detectOutputFormat(
  template: string,
  templateKind: "jinja" | "go",
): DetectedOutputFormat {
  const format = formatOf(template, templateKind);
  const { marks, stopTexts, thinking: ownThinking } = definitionOf(format);
  const thinking = ownThinking ?? thinkingOf(template, templateKind);
  const tags = thinking === undefined ? [] : [thinking.open, thinking.close];
  return {
    format,
    thinking,
    visibleControlTexts: [...new Set([...marks, ...stopTexts, ...controlTextsIn(tags)])],
    stopTexts: [...stopTexts],
  };
}

function formatOf(template: string, templateKind: "jinja" | "go"): OutputFormat {
  const tag = templateKind === "go" ? toolCallTag(template) : "{";
  for (const [name, definition] of Object.entries(formatTable)) {
    if (definition.isUsedBy(template)) return { name: name as keyof typeof formatTable };
  }
  const knowsTools = templateKind === "go" ? /\.Tool(?:s|Calls)\b/ : /\btools\b|tool_call/;
  return knowsTools.test(template) ? { name: "generic", tag } : { name: "plain" };
}

function thinkingOf(template: string, templateKind: "jinja" | "go"): ThinkingTags | undefined {
  const inferred = templateKind === "go" ? textsAroundThinking(template) : undefined;
  return (
    inferred ??
    thinkingTags.find(({ open, close }) => template.includes(open) && template.includes(close))
  );
}

/** A tag may be more than one token: `<|channel>thought` begins with the control token `<|channel>`. */
function controlTextsIn(tags: readonly string[]): string[] {
  return tags.flatMap((tag) => [tag, ...(tag.match(/^<\|[^<>]*>/) ?? [])]);
}
