// Literal text around a field of a Go template.

/** Text and actions of a template, in order. */
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
export function toolCallTag(template: string): string {
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
export function textsAroundThinking(template: string): { open: string; close: string } | undefined {
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
