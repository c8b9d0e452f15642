// What a parser makes of a model's output: content, thinking and tool calls, in order.

/**
 * A call is one only when its `tool-call-end` has come. One that breaks off gets none: its whole
 * text, marks included, follows as content, and its index is not used again.
 */
export type OutputPiece =
  | { type: "content"; text: string }
  | { type: "thinking"; text: string }
  | { type: "tool-call-start"; index: number; id: string; name: string }
  /** JSON text of the arguments object as it comes; all pieces of a call together are valid JSON. */
  | { type: "tool-call-arguments"; index: number; text: string }
  | { type: "tool-call-end"; index: number; arguments: Record<string, unknown> };
