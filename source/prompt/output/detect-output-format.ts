// Detection of a model's format for thinking and tool calls from its chat template.
import { definitionOf, formatTable, type OutputFormat } from "./format-table.ts";
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
  const { marks = [], stopTexts = [], thinking: ownThinking } = definitionOf(format);
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

/** Text or action of a Go template. */
type TemplatePart = { text: string } | { action: string };

function partsOf(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(/\{\{-?([\s\S]*?)-?\}\}/g)) {
    parts.push({ text: template.slice(end, match.index) }, { action: (match[1] ?? "").trim() });
    end = match.index + match[0].length;
  }
  return [...parts, { text: template.slice(end) }];
}

/**
 * Returns the text that introduces tool calls, by Ollama's rule: the first text inside the block about
 * `.ToolCalls`, up to a brace; `{` if that is empty.
 */
function toolCallTag(template: string): string {
  const parts = partsOf(template.replaceAll("\r\n", "\n"));
  const block = parts.findIndex(
    (part) => "action" in part && /^(?:if|range|with|else if)\b.*\.ToolCalls\b/s.test(part.action),
  );
  if (block < 0) return "{";
  const text = parts
    .slice(block + 1)
    .find((part): part is { text: string } => "text" in part && part.text.trim() !== "")?.text;
  return text?.split("{")[0]?.trim() || "{";
}

/** Returns the texts directly before and after the place where a template prints `.Thinking`. */
function textsAroundThinking(template: string): { open: string; close: string } | undefined {
  const parts = partsOf(template);
  const at = parts.findIndex(
    (part) => "action" in part && /^(?:\$\w*)?\.(?:\w+\.)*Thinking$/.test(part.action),
  );
  const open = textOf(parts[at - 1]).trim();
  const close = textOf(parts[at + 1]).trim();
  return open === "" || close === "" ? undefined : { open, close };
}

function textOf(part: TemplatePart | undefined): string {
  return part !== undefined && "text" in part ? part.text : "";
}
