// Field of several lines: prompt sign, text and cursor.

import type { ReactElement } from "react";
import { layoutField } from "../editor/editor-layout.ts";
import type { EditorState } from "../editor/editor-state.ts";
import type { TextRun } from "../text/text-run.ts";
import { glyphs } from "../theme.ts";
import { Line } from "./line.tsx";
import { TextCursor } from "./text-cursor.tsx";

/** Cells of the sign in front of the text. */
export const promptCells = 2;

export interface TextAreaProps {
  readonly field: Pick<EditorState, "text" | "cursor" | "isSelected">;
  /** Cells that the text wraps at. */
  readonly width: number;
  /** Number of visible rows, at most `fieldRowsMaximum`, always including the cursor's. */
  readonly rows: number;
  readonly isFocused?: boolean;
  /** Shown dim in an empty field. */
  readonly placeholder?: string;
  /** Its first row from the nearest `Origin`. Defaults to 0. */
  readonly y?: number;
}

export function TextArea(props: TextAreaProps): ReactElement {
  const { field, width, rows, isFocused = true, placeholder = "", y = 0 } = props;
  const prompt: TextRun = { text: `${glyphs.prompt} `, tone: "title" };
  const indent: TextRun = { text: " ".repeat(promptCells), tone: "plain" };
  const { text, cursor, isSelected } = field;
  if (text === "") {
    return (
      <>
        <Line runs={[prompt, { text: placeholder, tone: "dim" }]} />
        {isFocused && <TextCursor x={promptCells} y={y} />}
      </>
    );
  }
  const tone = isSelected ? "selected" : "plain";
  const layout = layoutField(text, cursor, width);
  const lastTop = Math.max(0, layout.rows.length - rows);
  const top = Math.min(lastTop, Math.max(0, layout.cursorRow - rows + 1));
  return (
    <>
      {layout.rows.slice(top, top + rows).map((row, index) => (
        <Line key={row.start} runs={[index === 0 ? prompt : indent, { text: row.text, tone }]} />
      ))}
      {isFocused && (
        <TextCursor x={promptCells + layout.cursorColumn} y={y + layout.cursorRow - top} />
      )}
    </>
  );
}
