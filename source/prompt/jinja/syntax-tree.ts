// Nodes of a parsed Jinja template. Every node knows its place in the source.
import type { Value } from "./values.ts";

interface Placed {
  at: number;
}

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export interface Argument {
  /** Set for keyword arguments. */
  name?: string;
  /** Set for `*list` and `**dict`. */
  spread?: "list" | "dict";
  value: Expression;
}

export type Expression = Placed &
  (
    | { kind: "constant"; value: Value }
    | { kind: "name"; name: string }
    | { kind: "list" | "tuple" | "concat"; items: Expression[] }
    | { kind: "dict"; entries: Array<[key: Expression, value: Expression]> }
    | { kind: "attribute"; object: Expression; name: string }
    | { kind: "item"; object: Expression; index: Expression }
    | {
        kind: "slice";
        object: Expression;
        from: Expression | undefined;
        to: Expression | undefined;
        step: Expression | undefined;
      }
    | { kind: "call"; callee: Expression; args: Argument[] }
    | { kind: "filter"; input: Expression; name: string; args: Argument[] }
    | { kind: "test"; input: Expression; name: string; args: Argument[]; negated: boolean }
    | { kind: "not" | "negative" | "positive"; operand: Expression }
    | { kind: "and" | "or"; left: Expression; right: Expression }
    | { kind: "binary"; operator: BinaryOperator; left: Expression; right: Expression }
    | {
        kind: "compare";
        first: Expression;
        others: Array<{ operator: CompareOperator; operand: Expression }>;
      }
    | {
        kind: "condition";
        test: Expression;
        value: Expression;
        otherwise: Expression | undefined;
      }
  );

export type Target = Placed &
  (
    | { kind: "name"; name: string }
    | { kind: "member"; object: string; name: string }
    | { kind: "tuple"; items: Target[] }
  );

export interface Parameter {
  name: string;
  byDefault: Expression | undefined;
}

export interface FilterCall extends Placed {
  name: string;
  args: Argument[];
}

export interface MacroBody extends Placed {
  name: string;
  parameters: Parameter[];
  body: Statement[];
  /** Special names that the body uses: `caller`, `varargs` and `kwargs`. */
  reads: ReadonlySet<string>;
}

export type Statement = Placed &
  (
    | { kind: "text"; text: string }
    | { kind: "output"; value: Expression }
    | { kind: "if"; test: Expression; body: Statement[]; otherwise: Statement[] }
    | {
        kind: "for";
        target: Target;
        list: Expression;
        test: Expression | undefined;
        recursive: boolean;
        body: Statement[];
        otherwise: Statement[];
      }
    | { kind: "set"; target: Target; value: Expression }
    | { kind: "set-block"; target: Target; filters: FilterCall[]; body: Statement[] }
    | { kind: "with"; bindings: Array<{ target: Target; value: Expression }>; body: Statement[] }
    | { kind: "macro"; macro: MacroBody }
    | { kind: "call-block"; call: Expression; caller: MacroBody }
    | { kind: "filter-block"; filters: FilterCall[]; body: Statement[] }
    | { kind: "block"; body: Statement[] }
    | { kind: "break" | "continue" }
  );
