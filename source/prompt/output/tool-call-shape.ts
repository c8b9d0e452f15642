// What a grammar needs to know of a format: the text around calls and around an answer.
import { definitionOf, type OutputFormat } from "./format-table.ts";
import type { CallNotation, ToolCallShape } from "./output-format.ts";

/** Undefined where calls cannot be forced: they are not written around JSON. */
export function toolCallShape(format: OutputFormat): ToolCallShape | undefined {
  return definitionOf(format).shape;
}

/** How a model writes calls by itself: as its format says, else in the shape that can be forced. */
export function callNotations(format: OutputFormat): readonly CallNotation[] {
  const { notations, shape, calls } = definitionOf(format);
  if (notations !== undefined) return notations;
  if (shape === undefined) return [];
  const before = (shape.opening + shape.beforeName).trimStart();
  if (before === "") return [{ kind: "json", mark: "", shape }];
  const opening = calls?.openings.find((each) => before.startsWith(each));
  const trimmed = { ...shape, opening: shape.opening.trimStart() };
  if (opening !== undefined) return [{ kind: "json", mark: opening, shape: trimmed }];
  // Without a mark only an answer that begins with the name of a call is known for one.
  return [
    { kind: "json", mark: before, isOnlyAtStart: true, shape: trimmed },
    ...compactNotation(trimmed),
  ];
}

/** Without the white space that some models leave out. */
function compactNotation(shape: ToolCallShape): CallNotation[] {
  const compact = {
    ...shape,
    opening: shape.opening.replaceAll(" ", ""),
    beforeName: shape.beforeName.replaceAll(" ", ""),
  };
  const mark = compact.opening + compact.beforeName;
  return [{ kind: "json", mark, isOnlyAtStart: true, shape: compact }];
}

/** The text that a format wants around an answer that is not a call. */
export function answerFrame(format: OutputFormat): { open: string; close: string } {
  return definitionOf(format).frame ?? { open: "", close: "" };
}
