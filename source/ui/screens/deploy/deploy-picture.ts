// The whole screen as rows: the steps on the left where there is room, the one in sight beside them.

import { formatLocalTime } from "../../../base/local-time.ts";
import type { BodySize, ScreenPicture, StyledRow } from "../../frame/screen.ts";
import { besides, drawBox, innerHeight, innerWidth } from "../../panes/box.ts";
import { foreignSpan, textRow } from "../../panes/styled-row.ts";
import { isEphemeral, referenceOf, scriptOf } from "./answers.ts";
import { commandText } from "./command-text.ts";
import { baseOf, type DeployState, profileOf } from "./deploy-state.ts";
import { line, type Page } from "./form.ts";
import { type FormRows, formRows, lineRows } from "./form-rows.ts";
import { type PageView, pageOf, stepTitle } from "./page-of.ts";
import { stepsOf } from "./steps.ts";

/** From so many columns on, the steps have a place of their own. */
const twoPanesFrom = 80;
const stepsWidth = 22;
/** The log is worth its heading from so many rows on. */
const leastTailRows = 3;

export function deployPicture(state: DeployState, size: BodySize, view: PageView): ScreenPicture {
  const { glyphs } = view;
  const isWide = size.columns >= twoPanesFrom;
  const left = isWide ? stepsWidth : 0;
  const columns = size.columns - left;
  const page = pageOf(state, view);
  const form = formOf(state, page, columns, view);
  const height = innerHeight(size.rows);
  const top = topOf(state, form, height);
  const shown = form.rows.slice(top, top + height);
  const hasBelow = form.rows.length > top + height;
  const room = height - shown.length;
  const tail =
    page.tail === undefined ? commandRows(state, room, columns, view) : tailRows(page, room, view);
  const box = drawBox([...shown, ...tail], {
    width: columns,
    height: size.rows,
    glyphs,
    title: stepTitle(state),
    footer: hasBelow ? `PgDn ${glyphs.below}` : "",
    isFocused: true,
  });
  const rows = isWide ? besides(stepsBox(state, size.rows, view), box, left, glyphs.ellipsis) : box;
  const { cursorX, focusedRow } = form;
  if (cursorX === undefined || focusedRow === undefined) return { rows };
  return { rows, cursor: { x: left + 2 + cursorX, y: 1 + focusedRow - top } };
}

/** How far the step in sight can be moved up. */
export function lastScroll(state: DeployState, size: BodySize, view: PageView): number {
  const columns = size.columns - (size.columns >= twoPanesFrom ? stepsWidth : 0);
  const form = formOf(state, pageOf(state, view), columns, view);
  return Math.max(0, form.rows.length - innerHeight(size.rows));
}

function formOf(state: DeployState, page: Page, columns: number, { glyphs }: PageView): FormRows {
  const { focus, editor, faults } = state;
  return formRows(page, { width: innerWidth(columns), glyphs, focus, editor, faults });
}

/** The first row in sight: the field that has the keys, and the row below it, are in sight too. */
function topOf(state: DeployState, { rows, focusedRow = 0 }: FormRows, height: number): number {
  const last = Math.max(0, rows.length - height);
  const needed = Math.max(0, focusedRow + 2 - height);
  return Math.min(last, needed + state.scroll);
}

function tailRows({ tail = [] }: Page, room: number, { glyphs }: PageView): StyledRow[] {
  if (tail.length === 0 || room < leastTailRows) return [];
  const lines = tail.slice(2 - room);
  return [
    [],
    textRow("Log (Ctrl+O shows all of it)", "dim"),
    ...lines.map((text): StyledRow => [foreignSpan(text, "plain", glyphs.isAscii)]),
  ];
}

/** What would do the same, at the end of the box where there is room; the review has it anyway. */
function commandRows(
  state: DeployState,
  room: number,
  columns: number,
  { rules, glyphs }: PageView,
): StyledRow[] {
  const base = baseOf(state);
  const { step, given, focus, editor, faults } = state;
  if (base === undefined || step === "review" || step === "launch" || step === "script") return [];
  const { looksSecret } = rules;
  const text = commandText(given, { base, profile: profileOf(state), looksSecret });
  const look = { width: innerWidth(columns), glyphs, focus, editor, faults };
  const rows = [
    textRow("The same as a command", "dim"),
    ...lineRows(line(text, "code", "  "), look),
  ];
  // It stands apart from what is asked.
  if (rows.length + 2 > room) return [];
  return [...Array.from({ length: room - rows.length }, (): StyledRow => []), ...rows];
}

function stepsBox(state: DeployState, height: number, view: PageView): StyledRow[] {
  const { glyphs } = view;
  const { given, step, draftSavedAtMs } = state;
  const list = stepsOf(isEphemeral(given));
  const current = list.findIndex(({ id }) => id === step);
  const rows = list.map(({ title }, index): StyledRow => {
    const number = String(index + 1).padStart(2);
    if (index === current) {
      return textRow(`${glyphs.marker} ${number} ${title}`, "title");
    }
    const sign = index < current ? glyphs.done : " ";
    return [
      { text: `${sign} `, tone: "good" },
      { text: `${number} ${title}`, tone: index < current ? "plain" : "dim" },
    ];
  });
  // Its folders have no room here.
  const script = scriptOf(given) === "" ? "" : (referenceOf(given).split("/").at(-1) ?? "");
  const draft: StyledRow[] =
    draftSavedAtMs === undefined
      ? []
      : [
          textRow("draft saved", "dim"),
          textRow(formatLocalTime(new Date(draftSavedAtMs)).slice(11, 19), "dim"),
        ];
  const about: StyledRow[] = script === "" ? [] : [[foreignSpan(script, "dim", glyphs.isAscii)]];
  return drawBox([...rows, [], ...about, ...draft], {
    width: stepsWidth,
    height,
    glyphs,
    title: "Deploy",
  });
}
