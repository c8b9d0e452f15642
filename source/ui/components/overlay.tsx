// Draws overlays: a list, a question, or a confirmation.

import { Box } from "ink";
import type { ReactElement } from "react";
import { normaliseLineBreaks } from "../../base/harmless-text.ts";
import { fieldRowsMaximum, layoutField } from "../editor/editor-layout.ts";
import type { ListState } from "../frame/list-overlay.ts";
import type { Overlay as OverlayState } from "../frame/overlays.ts";
import {
  type AskState,
  type ConfirmState,
  type WriteState,
  writeWidth,
} from "../frame/question-overlay.ts";
import type { BodySize } from "../frame/screen.ts";
import { useLook } from "../hooks/use-look.ts";
import { wrapText } from "../text/text-run.ts";
import { glyphs } from "../theme.ts";
import { Panel, panelInnerHeight, panelInnerWidth } from "./panel.tsx";
import { cutsNotes, displayRows, SelectList } from "./select-list.tsx";
import { Text } from "./text.tsx";
import { promptCells, TextArea } from "./text-area.tsx";
import { TextField } from "./text-field.tsx";

export interface OverlayProps<State> {
  readonly overlay: State;
  /** Size of the screen below. */
  readonly size: BodySize;
}

/** Place it in the upper left corner of the body. */
export function Overlay({ overlay, size }: OverlayProps<OverlayState>): ReactElement {
  switch (overlay.kind) {
    case "list":
      return <List overlay={overlay} size={size} />;
    case "ask":
      return <Ask overlay={overlay} size={size} />;
    case "write":
      return <Write overlay={overlay} size={size} />;
    case "confirm":
      return <Confirm overlay={overlay} size={size} />;
  }
}

const listWidthMaximum = 96;
/** The field and the line below it. */
const fieldRows = 2;
const listHeightMinimum = 5;
const borderRows = 2;

function List({ overlay, size }: OverlayProps<ListState>): ReactElement {
  const { theme } = useLook();
  const { title, field, found, selected, question } = overlay;
  const { isTable = false, rowsMaximum = Infinity } = question;
  // A filter reorders the items.
  const isGrouped = field.text === "";
  const width = Math.min(size.columns - 2, listWidthMaximum);
  const inner = panelInnerWidth(width);
  const rows = Math.min(rowsMaximum, displayRows(found, isGrouped).length);
  // The note of the selected row is shown in full below the table.
  const noteRows = isTable && cutsNotes(found, inner) ? 1 : 0;
  const otherRows = fieldRows + noteRows + borderRows;
  const height = Math.min(size.rows, Math.max(listHeightMinimum, rows + otherRows));
  const x = Math.floor((size.columns - width) / 2);
  return (
    <Box position="absolute" left={x} top={0}>
      <Panel
        width={width}
        height={height}
        x={x}
        title={title}
        footer={found.length === 0 ? "0" : `${selected + 1} of ${found.length}`}
        isFocused
        isOpaque
      >
        <Prompt field={field} width={inner} y={0} />
        <Text {...theme.border}>{glyphs.box.horizontal.repeat(inner)}</Text>
        {found.length === 0 ? (
          <Text {...theme.dim}>No matches. Esc to close.</Text>
        ) : (
          <SelectList
            items={found}
            selected={selected}
            height={Math.max(1, panelInnerHeight(height) - fieldRows - noteRows)}
            width={inner}
            isGrouped={isGrouped}
            isTable={isTable}
          />
        )}
        {noteRows > 0 && (
          <Text {...theme.dim} wrap="truncate">
            {found[selected]?.note}
          </Text>
        )}
      </Panel>
    </Box>
  );
}

interface PromptProps {
  readonly field: AskState["field"];
  readonly width: number;
  /** Its row in the panel. */
  readonly y: number;
}

/** Draws a field after its prompt sign. */
function Prompt({ field, width, y }: PromptProps): ReactElement {
  const { theme } = useLook();
  return (
    <Box height={1} flexShrink={0}>
      <Text {...theme.key}>{`${glyphs.prompt} `}</Text>
      <TextField
        field={field}
        width={Math.max(1, width - promptCells)}
        x={promptCells}
        y={y}
        tone={field.isSelected ? "selected" : "plain"}
      />
    </Box>
  );
}

function Ask({ overlay, size }: OverlayProps<AskState>): ReactElement {
  const { question, field, problem } = overlay;
  // The problem comes last, next to the field.
  const text = problem === undefined ? question : `${question}\n${problem}`;
  return (
    <Question question={text} size={size}>
      {(y) => <Prompt field={field} width={panelInnerWidth(size.columns)} y={y} />}
    </Question>
  );
}

function Write({ overlay, size }: OverlayProps<WriteState>): ReactElement {
  const { question, field } = overlay;
  const width = writeWidth(size.columns);
  const { length } = layoutField(field.text, field.cursor, width).rows;
  const rows = Math.max(1, Math.min(length, fieldRowsMaximum, size.rows - borderRows - 1));
  return (
    <Question question={question} size={size} answerRows={rows}>
      {(y) => <TextArea field={field} width={width} rows={rows} y={y} />}
    </Question>
  );
}

function Confirm({ overlay, size }: OverlayProps<ConfirmState>): ReactElement {
  const { theme } = useLook();
  const { question, isComing, isYes } = overlay;
  return (
    <Question question={question} size={size}>
      {() =>
        isComing ? (
          <Text {...theme.dim}>{`${glyphs.working} calculating${glyphs.ellipsis}`}</Text>
        ) : (
          <Text>
            <Text {...theme[isYes ? "plain" : "selected"]}>{isYes ? "  No  " : "[ No ]"}</Text>
            {"  "}
            <Text {...theme[isYes ? "selected" : "plain"]}>{isYes ? "[ Yes ]" : "  Yes  "}</Text>
          </Text>
        )
      }
    </Question>
  );
}

interface QuestionProps {
  readonly question: string;
  readonly size: BodySize;
  /** Rows for the answer. Defaults to 1. */
  readonly answerRows?: number;
  /** Draws the answer, `y` rows below the panel's first row. */
  readonly children: (y: number) => ReactElement;
}

/** Draws a question at the bottom of the screen, with its answer below. */
function Question({ question, size, answerRows = 1, children }: QuestionProps): ReactElement {
  const { theme } = useLook();
  const all = questionRows(question, size.columns);
  const height = Math.min(size.rows, all.length + answerRows + borderRows);
  // A long question loses its beginning, since its end asks for the answer.
  const room = panelInnerHeight(height) - answerRows;
  const rows = all.slice(Math.max(0, all.length - room));
  const y = size.rows - height;
  return (
    <Box position="absolute" left={0} top={y}>
      <Panel width={size.columns} height={height} y={y} isFocused isOpaque>
        <Text {...theme.title}>{rows.join("\n")}</Text>
        {children(rows.length)}
      </Panel>
    </Box>
  );
}

function questionRows(question: string, columns: number): readonly string[] {
  const width = panelInnerWidth(columns);
  return normaliseLineBreaks(question)
    .split("\n")
    .flatMap((line) => wrapText(line, width))
    .map(({ text }) => text);
}
