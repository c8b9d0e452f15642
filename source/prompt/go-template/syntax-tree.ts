// Nodes of a parsed template.

interface Placed {
  /** Start index in the template. */
  readonly at: number;
}

export type TemplateNode =
  | (Placed & { readonly kind: "text"; readonly text: string })
  | (Placed & { readonly kind: "action"; readonly pipe: Pipe })
  | (Placed & {
      readonly kind: "if" | "with" | "range";
      readonly pipe: Pipe;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    })
  | (Placed & { readonly kind: "break" | "continue" })
  | (Placed & {
      readonly kind: "template";
      readonly name: string;
      readonly pipe: Pipe | undefined;
    });

/** `$a, $b := command | command`. */
export interface Pipe extends Placed {
  readonly kind: "pipe";
  /** Names of the variables it sets, with their `$`. */
  readonly variables: readonly string[];
  /** True for an assignment (`=`), false for a declaration (`:=`). */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

/** A function or operand, and its arguments. */
export interface Command extends Placed {
  readonly operands: readonly [Operand, ...Operand[]];
}

export type Operand =
  | Pipe
  | (Placed & { readonly kind: "dot" | "nil" })
  | (Placed & { readonly kind: "constant"; readonly value: boolean | bigint | number | string })
  | (Placed & { readonly kind: "function"; readonly name: string })
  | (Placed & { readonly kind: "field"; readonly names: readonly string[] })
  | (Placed & {
      readonly kind: "variable";
      readonly name: string;
      readonly names: readonly string[];
    })
  | (Placed & {
      readonly kind: "chain";
      readonly base: Operand;
      readonly names: readonly string[];
    });

/** Returns the names of all fields in the nodes. */
export function fieldsOf(nodes: readonly TemplateNode[]): Set<string> {
  const names = new Set<string>();
  const visitOperand = (operand: Operand): void => {
    if (operand.kind === "pipe") visitPipe(operand);
    if (operand.kind === "chain") visitOperand(operand.base);
    if ("names" in operand) for (const name of operand.names) names.add(name);
  };
  const visitPipe = (pipe: Pipe | undefined): void => {
    for (const { operands } of pipe?.commands ?? []) operands.forEach(visitOperand);
  };
  const visit = (node: TemplateNode): void => {
    if ("pipe" in node) visitPipe(node.pipe);
    if ("body" in node) {
      node.body.forEach(visit);
      node.otherwise.forEach(visit);
    }
  };
  nodes.forEach(visit);
  return names;
}
