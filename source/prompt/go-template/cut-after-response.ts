// Cut of a template after `{{ .Response }}`, where the model continues.
import { fieldsOf, type TemplateNode } from "./syntax-tree.ts";

/** @returns all nodes up to and including the first action that prints `.Response` */
export function cutAfterResponse(nodes: readonly TemplateNode[]): readonly TemplateNode[] {
  return cut(nodes).nodes;
}

function cut(nodes: readonly TemplateNode[]): { nodes: readonly TemplateNode[]; isCut: boolean } {
  const kept: TemplateNode[] = [];
  for (const node of nodes) {
    if (node.kind === "action" && fieldsOf([node]).has("Response")) {
      return { nodes: [...kept, node], isCut: true };
    }
    if (!("body" in node)) {
      kept.push(node);
      continue;
    }
    const body = cut(node.body);
    const otherwise = body.isCut ? { nodes: [], isCut: true } : cut(node.otherwise);
    kept.push({ ...node, body: body.nodes, otherwise: otherwise.nodes });
    if (otherwise.isCut) return { nodes: kept, isCut: true };
  }
  return { nodes: kept, isCut: false };
}
