// Pieces of a parsed output: content, thinking and tool calls, in order.

/**
 * A call is complete only with its `tool-call-end`. An incomplete one gets none: its whole text,
 * including marks, follows as content, and its index is not reused.
 */
export type OutputPiece =
  | { type: "content"; text: string }
  | { type: "thinking"; text: string }
  | { type: "tool-call-start"; index: number; id: string; name: string }
  /** Part of the arguments' JSON text; all parts of a call together are valid JSON. */
  | { type: "tool-call-arguments"; index: number; text: string }
  | { type: "tool-call-end"; index: number; arguments: Record<string, unknown> };
