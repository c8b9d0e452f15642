// The columns of each list: their cells, their widths, and the ones that a narrow list leaves out.

import { formatBytes } from "../../../base/byte-format.ts";
import { formatCount } from "../../../base/count-format.ts";
import { type Column, markerWidth } from "../../components/table.tsx";
import { splitGraphemes } from "../../text/graphemes.ts";
import { foreignRun, type TextRun } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import type { FoundEntry, ModelEntry } from "./model-entries.ts";
import { formatSpan, formatTally, formatWindow } from "./model-figures.ts";
import { shortName } from "./model-name.ts";
import type { Source } from "./models-state.ts";
import {
  fitWords,
  hubStateCell,
  loadedCell,
  localStateCell,
  processorOf,
  untilOf,
} from "./state-cells.ts";

export interface CellLook {
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

interface EntryColumn<Entry> {
  readonly title: string;
  readonly width: number;
  readonly align?: "right";
  /** A list narrower than this leaves the column out. */
  readonly from?: number;
  readonly cell: (entry: Entry, look: CellLook) => TextRun;
}

/** The columns of a list of `width` cells; the name has the cells that the others leave. */
export function listColumns(
  source: Source,
  width: number,
  look: CellLook,
): readonly Column<FoundEntry>[] {
  const others = columns[source].filter(({ from = 0 }) => width >= from);
  const used = others.reduce((sum, column) => sum + column.width + 1, markerWidth);
  const nameWidth = Math.max(1, width - used);
  return [
    { title: "NAME", width: nameWidth, cell: (found) => nameRuns(found, nameWidth, look.glyphs) },
    ...others.map((column) => ({
      ...column,
      cell: ({ entry }: FoundEntry) => column.cell(entry, look),
    })),
  ];
}

/** The name with the letters marked that the filter has found. */
function nameRuns({ entry, matches }: FoundEntry, width: number, glyphs: Glyphs): TextRun[] {
  const shown = shortName(entry.name, width, glyphs.ellipsis);
  // The places of the letters count from the beginning of the name.
  const marked = new Set(entry.name.startsWith(shown) ? matches : []);
  const runs: TextRun[] = [];
  let offset = 0;
  for (const grapheme of splitGraphemes(shown)) {
    const { text, tone } = foreignRun(
      grapheme,
      marked.has(offset) ? "mark" : "plain",
      glyphs.isAscii,
    );
    const last = runs.at(-1);
    if (last?.tone === tone) runs[runs.length - 1] = { text: last.text + text, tone };
    else runs.push({ text, tone });
    offset += grapheme.length;
  }
  return runs;
}

const nothing: TextRun = { text: "-", tone: "dim" };

const columns: Readonly<Record<Source, readonly EntryColumn<ModelEntry>[]>> = {
  local: columnsFor("local", [
    {
      title: "SIZE",
      width: 7,
      align: "right",
      cell: ({ model, download }) => figure(model?.sizeBytes ?? download?.totalBytes, formatBytes),
    },
    {
      title: "QUANT",
      width: 8,
      from: 50,
      cell: ({ model }, { glyphs }) =>
        model === undefined || model.quantization === ""
          ? nothing
          : foreignRun(model.quantization, "plain", glyphs.isAscii),
    },
    {
      title: "CTX",
      width: 4,
      align: "right",
      from: 58,
      cell: ({ model }) => figure(model?.memory?.trainedContextLength || undefined, formatWindow),
    },
    {
      title: "FIT",
      width: 5,
      cell: ({ estimate }) => (estimate === undefined ? nothing : fitWords[estimate.fit]),
    },
    { title: "STATE", width: 10, cell: (entry, { glyphs }) => localStateCell(entry, glyphs) },
  ]),
  hub: columnsFor("hub", [
    {
      title: "PARAMS",
      width: 7,
      align: "right",
      from: 46,
      cell: ({ model }) => figure(model.parameterCount, formatCount),
    },
    {
      title: "PULLS",
      width: 6,
      align: "right",
      cell: ({ model }) => figure(model.downloads, formatTally),
    },
    {
      title: "LIKES",
      width: 5,
      align: "right",
      from: 58,
      cell: ({ model }) => figure(model.likes, formatTally),
    },
    {
      title: "AGE",
      width: 6,
      align: "right",
      from: 64,
      cell: ({ model }, { nowMs }) => figure(model.modifiedMs, (at) => formatSpan(nowMs - at)),
    },
    { title: "STATE", width: 10, cell: (entry, { glyphs }) => hubStateCell(entry, glyphs) },
  ]),
  running: columnsFor("running", [
    {
      title: "SIZE",
      width: 7,
      align: "right",
      cell: ({ loaded }) => figure(loaded.size, formatBytes),
    },
    {
      title: "PROCESSOR",
      width: 15,
      from: 60,
      cell: ({ loaded }) => ({ text: processorOf(loaded), tone: "plain" }),
    },
    {
      title: "CTX",
      width: 4,
      align: "right",
      from: 46,
      cell: ({ loaded }) => figure(loaded.context_length || undefined, formatWindow),
    },
    {
      title: "UNTIL",
      width: 9,
      cell: ({ loaded }, { nowMs }) => ({ text: untilOf(loaded, nowMs), tone: "plain" }),
    },
    { title: "STATE", width: 10, cell: ({ loaded }, { glyphs }) => loadedCell(loaded, glyphs) },
  ]),
};

/** Columns of one kind of entry as columns of any: a list has entries of one kind. */
function columnsFor<Kind extends ModelEntry["kind"]>(
  kind: Kind,
  list: readonly EntryColumn<EntryOf<Kind>>[],
): readonly EntryColumn<ModelEntry>[] {
  return list.map((column) => ({
    ...column,
    cell: (entry, look) => (isOfKind(entry, kind) ? column.cell(entry, look) : nothing),
  }));
}

type EntryOf<Kind> = Extract<ModelEntry, { readonly kind: Kind }>;

function isOfKind<Kind extends ModelEntry["kind"]>(
  entry: ModelEntry,
  kind: Kind,
): entry is EntryOf<Kind> {
  return entry.kind === kind;
}

function figure(value: number | undefined, format: (value: number) => string): TextRun {
  return value === undefined ? nothing : { text: format(value), tone: "plain" };
}
