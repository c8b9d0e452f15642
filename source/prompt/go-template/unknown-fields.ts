// Unknown fields in a template, such as misspelled ones, which silently print nothing.
import { nearestName } from "../../base/nearest-name.ts";
import { fieldsOf, type Operand, type Pipe, type TemplateNode } from "./syntax-tree.ts";

export interface UnknownField {
  /** Name without its dot. */
  name: string;
  /** Index into the template. */
  at: number;
  /** Similar known name, if any. */
  nearest: string | undefined;
}

const ofConversation = [
  "System",
  "Prompt",
  "Response",
  "Suffix",
  "Messages",
  "Tools",
  "Think",
  "ThinkLevel",
  "IsThinkSet",
];
const ofMessages = "Role Content Thinking Images ToolCalls ToolName ToolCallID".split(" ");
const ofTools = "ID Type Items Function Index Name Arguments Description Parameters".split(" ");
const ofSchemas = "Defs Required Properties AnyOf Enum ToTypeScriptType".split(" ");
const anywhere = [...ofConversation, ...ofMessages, ...ofTools, ...ofSchemas];
/** Fields whose members have names chosen by the client. */
const open = ["Arguments", "Properties", "Items", "Defs", "AnyOf", "Enum"];

/** Returns the message that follows the place of a field. */
export function unknownFieldText({ name, nearest }: UnknownField): string {
  const hint = nearest === undefined ? "" : ` Did you mean .${nearest}?`;
  return `the TEMPLATE uses .${name}, which does not exist and prints nothing.${hint}`;
}

/** Returns each name once, in the order of the text. */
export function unknownFields(
  root: readonly TemplateNode[],
  definitions: Iterable<readonly TemplateNode[]>,
): UnknownField[] {
  const found = new Map<string, UnknownField>();
  const visitOperand = (operand: Operand, known: readonly string[]): void => {
    if (operand.kind === "pipe") visitPipe(operand, known);
    if (operand.kind === "chain") visitOperand(operand.base, known);
    const isRoot = operand.kind === "variable" && operand.name === "$";
    if (operand.kind !== "field" && !isRoot) return;
    const [name] = operand.names;
    const names = isRoot ? ofConversation : known;
    if (name === undefined || names.includes(name) || found.has(name)) return;
    found.set(name, { name, at: operand.at, nearest: nearestName(name, names) });
  };
  const visitPipe = (pipe: Pipe | undefined, known: readonly string[]): void => {
    for (const { operands } of pipe?.commands ?? []) {
      for (const operand of operands) visitOperand(operand, known);
    }
  };
  const visit = (nodes: readonly TemplateNode[], known: readonly string[]): void => {
    for (const node of nodes) {
      if ("pipe" in node) visitPipe(node.pipe, known);
      if (!("body" in node)) continue;
      const movesDot = node.kind !== "if";
      const isOpen = movesDot && open.some((name) => fieldsOf([actionOf(node.pipe)]).has(name));
      if (!isOpen) visit(node.body, movesDot ? anywhere : known);
      visit(node.otherwise, known);
    }
  };
  visit(root, ofConversation);
  for (const nodes of definitions) visit(nodes, anywhere);
  return [...found.values()].sort((a, b) => a.at - b.at);
}

function actionOf(pipe: Pipe): TemplateNode {
  return { kind: "action", pipe, at: pipe.at };
}
