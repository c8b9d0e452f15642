// A tool call as a card: server, tool, arguments on their lines, and its result or what may be decided.

import { textWidth, truncateText } from "../../../../base/graphemes.ts";
import { harmlessText } from "../../../../base/harmless-text.ts";
import { plural } from "../../../../base/quantities.ts";
import {
  callTitle,
  fromTextWarning,
  type NamedCall,
  outsideMark,
  shownArguments,
} from "../../../../chat/conversation/call-text.ts";
import type { DoneCall, OpenCall } from "../../../../chat/conversation/transcript-entry.ts";
import type { SessionToolCall } from "../../../../chat/sessions/session.ts";
import { wrapRuns } from "../../../markdown/wrap-runs.ts";
import { fitRuns, type TextRow, type TextRun } from "../../../text/text-run.ts";
import { glyphs, type Tone } from "../../../theme.ts";
import { imageRows } from "../transcript/image-rows.ts";

export interface CardStyle {
  readonly width: number;
  /** Paths that lead out of it are marked. */
  readonly folder: string;
  /** Small pictures of images can be drawn. */
  readonly drawsImages: boolean;
}

/** Rows of a result before it is opened. */
const foldedRows = 5;
/** Borders, and a blank inside each. */
const cellsBeside = 4;
const smallestWidth = 12;

interface KnownRows extends Pick<CardStyle, "width"> {
  readonly isOpen: boolean;
  readonly rows: readonly TextRow[];
}

/** Rows of calls whose answer is still being written: a result may be long, and never changes. */
const known = new WeakMap<DoneCall, KnownRows>();

/** @param isOpen shows the whole result */
export function doneCallRows(
  call: DoneCall,
  isOpen: boolean,
  style: CardStyle,
): readonly TextRow[] {
  const { width } = style;
  const before = known.get(call);
  if (before?.width === width && before.isOpen === isOpen) {
    return before.rows;
  }
  const outcome = call.ending ?? (call.isError ? "failed" : "done");
  const sign = glyphs[outcome === "failed" || outcome === "done" ? outcome : "stopped"];
  const rows = cardRows(
    { title: callTitle(call), note: "", footer: `${sign} ${outcome}` },
    [
      ...argumentRows(call, style),
      ...resultRows(call.result, isOpen, style),
      ...(call.images ?? []).flatMap((image) =>
        imageRows(image, insideOf(style), style.drawsImages),
      ),
    ],
    outcome === "failed" ? "error" : "border",
    style,
  );
  known.set(call, { width, isOpen, rows });
  return rows;
}

/** @param open undefined for a call that waits for another one, or that nobody runs */
export function openCallRows(
  { name, arguments: values }: SessionToolCall,
  open: OpenCall | undefined,
  style: CardStyle,
): readonly TextRow[] {
  const call: NamedCall = {
    server: open?.server ?? "",
    name: open?.name ?? name,
    arguments: values,
  };
  const isAsking = open?.state === "asking";
  const warnings = open?.isFromText ? [fromTextWarning] : [];
  const content = [
    ...argumentRows(call, style),
    ...warnings.flatMap((text) => wrapped([{ text, tone: "warning" }], style)),
    ...(isAsking ? choiceRows(open, style) : []),
  ];
  const note = open?.isReadOnly ? "reads only, says its server" : "";
  const edges = { title: callTitle(call), note, footer: footerOf(open) };
  return cardRows(edges, content, isAsking ? "focus" : "border", style);
}

function footerOf(open: OpenCall | undefined): string {
  if (open?.state !== "running") return "";
  return `${glyphs.working} running ${Math.floor(open.elapsedMs / 1000)} s ${glyphs.separator} Esc cancels`;
}

function choiceRows({ isKeepable }: OpenCall, style: CardStyle): TextRow[] {
  const choices: readonly (readonly [key: string, verb: string])[] = [
    ["y", "run once"],
    ...(isKeepable
      ? ([
          ["a", "always in this chat"],
          ["A", "always"],
        ] as const)
      : []),
    ["e", "edit"],
    ["n", "refuse"],
  ];
  const runs = choices.flatMap(([key, verb], index): TextRun[] => [
    ...(index > 0 ? [{ text: "  ", tone: "plain" } as const] : []),
    { text: key, tone: "key" },
    { text: ` ${verb}`, tone: "plain" },
  ]);
  return [[], ...wrapped(runs, style)];
}

function argumentRows(call: Pick<NamedCall, "arguments">, style: CardStyle): TextRow[] {
  return shownArguments(call, style.folder).flatMap(({ name, lines, isOutside }) => {
    const [first = "", ...more] = lines;
    const mark: TextRun[] = isOutside
      ? [{ text: ` ${glyphs.warning} ${outsideMark}`, tone: "warning" }]
      : [];
    return [
      ...wrapped(
        [{ text: `${name}: `, tone: "dim" }, { text: first, tone: "value" }, ...mark],
        style,
      ),
      ...more.flatMap((line) => wrapped([{ text: `  ${line}`, tone: "value" }], style)),
    ];
  });
}

function resultRows(result: string, isOpen: boolean, style: CardStyle): TextRow[] {
  const { arrow } = glyphs;
  const indent = textWidth(arrow) + 1;
  const inner = { ...style, width: style.width - indent };
  const rows = harmlessText(result)
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapped([{ text: line, tone: "plain" }], inner));
  const shown = isOpen || rows.length <= foldedRows + 1 ? rows : rows.slice(0, foldedRows);
  const rest = rows.length - shown.length;
  const note = `${glyphs.ellipsis} ${plural(rest, "more line")}: Tab, then Enter to open`;
  const all = rest > 0 ? [...shown, [{ text: note, tone: "dim" } as const]] : shown;
  return all.map((row, index) => [
    { text: index === 0 ? `${arrow} ` : " ".repeat(indent), tone: "dim" },
    ...row,
  ]);
}

function insideOf({ width }: CardStyle): number {
  return Math.max(1, Math.max(width, smallestWidth) - cellsBeside);
}

/** Wraps runs to the inside of the card. */
function wrapped(runs: TextRow, style: CardStyle): TextRow[] {
  const plain = runs.map((run) => ({ ...run, text: run.text.replaceAll("\t", "    ") }));
  return wrapRuns(plain, insideOf(style));
}

/** Draws the border, with a title and a note above, and a footer below. */
function cardRows(
  { title, note, footer }: Readonly<Record<"title" | "note" | "footer", string>>,
  content: readonly TextRow[],
  tone: Tone,
  { width: wanted }: CardStyle,
): TextRow[] {
  const { box, ellipsis } = glyphs;
  const width = Math.max(wanted, smallestWidth);
  const border = (text: string): TextRun => ({ text, tone });
  const edge = (left: string, right: string, name: TextRun, beside: string): TextRow => {
    const room = width - 6;
    const shown = truncateText(name.text, room, ellipsis);
    const rest = room - textWidth(shown) - 1;
    const aside = beside !== "" && textWidth(beside) + 2 <= rest ? ` ${beside} ` : "";
    const line = box.horizontal;
    const isEmpty = shown === "";
    return [
      border(`${left}${line}`),
      { ...name, text: isEmpty ? line.repeat(2) : ` ${shown} ` },
      border(line.repeat(Math.max(0, room - textWidth(shown) - textWidth(aside)))),
      { text: aside, tone: "dim" },
      border(`${line}${right}`),
    ];
  };
  const side = border(box.vertical);
  const blank: TextRun = { text: " ", tone: "plain" };
  return [
    edge(box.topLeft, box.topRight, { text: title, tone: "name" }, note),
    ...content.map((row) => [
      side,
      blank,
      ...fitRuns(row, width - cellsBeside, ellipsis),
      blank,
      side,
    ]),
    edge(box.bottomLeft, box.bottomRight, { text: footer, tone: "dim" }, ""),
  ];
}
