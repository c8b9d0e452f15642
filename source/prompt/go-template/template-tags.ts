// Texts of a template that reveal the model's output format: around thinking and before tool calls.
import { fieldsOf, type Pipe, type TemplateNode } from "./syntax-tree.ts";

export interface ThinkingTags {
  open: string;
  close: string;
}

/** Returns the literal texts on both sides of `.Thinking`, in a loop over `.Messages`. */
export function thinkingTagsOf(nodes: readonly TemplateNode[]): ThinkingTags | undefined {
  return findThinking(nodes, false);
}

function findThinking(
  nodes: readonly TemplateNode[],
  isInMessages: boolean,
): ThinkingTags | undefined {
  for (const [index, node] of nodes.entries()) {
    if (node.kind === "action" && isInMessages && uses(node.pipe, "Thinking")) {
      const tags = tagsBetween(nodes[index - 1], nodes[index + 1]);
      if (tags !== undefined) return tags;
    }
    if (!("body" in node)) continue;
    const isIn = isInMessages || (node.kind === "range" && uses(node.pipe, "Messages"));
    const tags = findThinking(node.body, isIn) ?? findThinking(node.otherwise, isIn);
    if (tags !== undefined) return tags;
  }
  return undefined;
}

function tagsBetween(
  before: TemplateNode | undefined,
  behind: TemplateNode | undefined,
): ThinkingTags | undefined {
  const open = before?.kind === "text" ? before.text.trim() : "";
  const close = behind?.kind === "text" ? behind.text.trim() : "";
  // `<x>` and `</x>`, `[X]` and `[/X]`, possibly with more text around them.
  const opening = /[<[][^<>[\]/\s]+[>\]]$/.exec(open)?.[0];
  const closing = opening?.replace(/^[<[]/, "$&/");
  if (opening !== undefined && closing !== undefined && close.startsWith(closing)) {
    return { open: opening, close: closing };
  }
  return open === "" || close === "" ? undefined : { open, close };
}

/**
 * Returns the first literal text inside the block about `.ToolCalls`, up to a brace: the text that the
 * model writes before a call. `{` if there is none: the call begins with its JSON.
 */
export function toolCallTagOf(nodes: readonly TemplateNode[]): string {
  const block = findToolCalls(nodes);
  const text = block === undefined ? undefined : firstText(block);
  return text?.replaceAll("\r\n", "\n").split("{")[0]?.trim() || "{";
}

function findToolCalls(nodes: readonly TemplateNode[]): readonly TemplateNode[] | undefined {
  for (const node of nodes) {
    if (!("body" in node)) continue;
    if (uses(node.pipe, "ToolCalls")) return node.body;
    const found = findToolCalls(node.body) ?? findToolCalls(node.otherwise);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first text that is not blank, if no action precedes it. */
function firstText(nodes: readonly TemplateNode[]): string | undefined {
  for (const node of nodes) {
    if (node.kind === "text") {
      if (node.text.trim() !== "") return node.text;
    } else if ("body" in node) {
      return firstText(node.body) ?? firstText(node.otherwise);
    } else if (node.kind === "action" && node.pipe.variables.length === 0) {
      return undefined;
    }
  }
  return undefined;
}

function uses(pipe: Pipe, field: string): boolean {
  return fieldsOf([{ kind: "action", pipe, at: pipe.at }]).has(field);
}
