// Columns of each list: cells, widths, and those that a narrow list drops.

import { formatBytes, formatCount, formatMemory } from "../../../base/formats.ts";
import { type Column, markerWidth } from "../../components/table.tsx";
import { splitGraphemes } from "../../text/graphemes.ts";
import { formatTally, roughSpan, tokenCount } from "../../text/quantities.ts";
import { foreignRun, type TextRun } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import type {
  FoundEntry,
  HubEntry,
  LocalEntry,
  ModelEntry,
  RunningEntry,
} from "./model-entries.ts";
import { shortName } from "./model-name.ts";
import type { Source } from "./models-state.ts";
import {
  fitWords,
  hubStateCell,
  loadedCell,
  localStateCell,
  processorOf,
  timeToUnload,
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
  /** Called only with entries of the column's list. */
  cell(entry: Entry, look: CellLook): TextRun;
}

const nothing: TextRun = { text: "-", tone: "dim" };

const localColumns: readonly EntryColumn<LocalEntry>[] = [
  figure("SIZE", 7, formatBytes, ({ model, download }) => model?.sizeBytes ?? download?.totalBytes),
  {
    title: "QUANT",
    width: 8,
    cell: ({ model }, { glyphs }) =>
      model?.quantization ? foreignRun(model.quantization, "plain", glyphs.isAscii) : nothing,
  },
  {
    ...figure(
      "CTX",
      4,
      tokenCount,
      ({ model }) => model?.memory?.trainedContextLength || undefined,
    ),
    from: 58,
  },
  { title: "FIT", width: 5, cell: ({ estimate }) => (estimate ? fitWords[estimate.fit] : nothing) },
  { title: "STATE", width: 10, cell: (entry, { glyphs }) => localStateCell(entry, glyphs) },
];

const hubColumns: readonly EntryColumn<HubEntry>[] = [
  figure("PARAMS", 7, formatCount, ({ model }) => model.parameterCount),
  figure("PULLS", 6, formatTally, ({ model }) => model.downloads),
  { ...figure("LIKES", 5, formatTally, ({ model }) => model.likes), from: 58 },
  {
    ...figure("AGE", 6, roughSpan, ({ model: { modifiedMs } }, { nowMs }) =>
      modifiedMs === undefined ? undefined : nowMs - modifiedMs,
    ),
    from: 64,
  },
  { title: "STATE", width: 10, cell: (entry, { glyphs }) => hubStateCell(entry, glyphs) },
];

const runningColumns: readonly EntryColumn<RunningEntry>[] = [
  figure("SIZE", 7, formatMemory, ({ loaded }) => loaded.size),
  {
    title: "PROCESSOR",
    width: 15,
    from: 60,
    cell: ({ loaded }) => ({ text: processorOf(loaded), tone: "plain" }),
  },
  figure("CTX", 4, tokenCount, ({ loaded }) => loaded.context_length || undefined),
  {
    title: "UNTIL",
    width: 9,
    cell: ({ loaded }, { nowMs }) => ({ text: timeToUnload(loaded, nowMs), tone: "plain" }),
  },
  { title: "STATE", width: 10, cell: ({ loaded }, { glyphs }) => loadedCell(loaded, glyphs) },
];

const columns: Readonly<Record<Source, readonly EntryColumn<ModelEntry>[]>> = {
  local: localColumns,
  hub: hubColumns,
  running: runningColumns,
};

function figure<Entry>(
  title: string,
  width: number,
  format: (value: number) => string,
  value: (entry: Entry, look: CellLook) => number | undefined,
): EntryColumn<Entry> {
  const cell = (entry: Entry, look: CellLook): TextRun => {
    const known = value(entry, look);
    return known === undefined ? nothing : { text: format(known), tone: "plain" };
  };
  return { title, width, align: "right", cell };
}

/** Returns the columns of a list of `width` cells; the name takes the rest. */
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

/** Marks the letters of a name that match the filter. */
function nameRuns({ entry, matches }: FoundEntry, width: number, glyphs: Glyphs): TextRun[] {
  const shown = shortName(entry.name, width, glyphs.ellipsis);
  // Matches are offsets from the beginning of the full name.
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
