// Format facts for grammars: the text around calls and around an answer.
import { definitionOf, type OutputFormat } from "./format-table.ts";
import type { CallNotation, ToolCallShape } from "./output-format.ts";

/** Returns undefined if calls cannot be forced, since they are not written around JSON. */
export function toolCallShape(format: OutputFormat): ToolCallShape | undefined {
  return definitionOf(format).shape;
}

/** Returns the notations that a model uses by itself: those of its format, else the forced shape. */
export function callNotations(format: OutputFormat): readonly CallNotation[] {
  const { notations, shape, calls } = definitionOf(format);
  if (notations !== undefined) return notations;
  if (shape === undefined) return [];
  const before = (shape.opening + shape.beforeName).trimStart();
  if (before === "") return [{ kind: "json", mark: "", shape }];
  const opening = calls?.openings.find((each) => before.startsWith(each));
  const trimmed = { ...shape, opening: shape.opening.trimStart() };
  if (opening !== undefined) return [{ kind: "json", mark: opening, shape: trimmed }];
  // Without a mark, a call is recognised only at the start of an answer, by its name.
  return [
    { kind: "json", mark: before, isOnlyAtStart: true, shape: trimmed },
    ...compactNotation(trimmed),
  ];
}

/** Adds the shape without the white space that some models leave out. */
function compactNotation(shape: ToolCallShape): CallNotation[] {
  const compact = {
    ...shape,
    opening: shape.opening.replaceAll(" ", ""),
    beforeName: shape.beforeName.replaceAll(" ", ""),
  };
  const mark = compact.opening + compact.beforeName;
  return [{ kind: "json", mark, isOnlyAtStart: true, shape: compact }];
}

/** Returns the text around an answer that is not a call. */
export function answerFrame(format: OutputFormat): { open: string; close: string } {
  return definitionOf(format).frame ?? { open: "", close: "" };
}
