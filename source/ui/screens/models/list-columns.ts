// The columns of each list: what stands in them, how wide they are, and which go first when it is narrow.

import { formatBytes } from "../../../base/byte-format.ts";
import { formatCount } from "../../../base/count-format.ts";
import type { Span } from "../../frame/screen.ts";
import { foreignSpan } from "../../panes/styled-row.ts";
import type { Glyphs } from "../../theme.ts";
import type { HubEntry, LocalEntry, ModelEntry, RunningEntry } from "./model-entries.ts";
import { formatSpan, formatTally, formatWindow } from "./model-figures.ts";
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

type Cell<Entry> = (entry: Entry, look: CellLook) => Span;

export interface Column {
  readonly title: string;
  readonly width: number;
  readonly isRight: boolean;
  /** The list must be at least so wide for the column to be there. */
  readonly from: number;
  readonly cell: Cell<ModelEntry>;
}

/** The columns of a list so wide, but the name, which has the rest. */
export function columnsOf(source: Source, width: number): readonly Column[] {
  return columns[source].filter(({ from }) => width >= from);
}

const nothing: Span = { text: "-", tone: "dim" };

function local(cell: Cell<LocalEntry>): Cell<ModelEntry> {
  return (entry, look) => (entry.kind === "local" ? cell(entry, look) : nothing);
}

function hub(cell: Cell<HubEntry>): Cell<ModelEntry> {
  return (entry, look) => (entry.kind === "hub" ? cell(entry, look) : nothing);
}

function running(cell: Cell<RunningEntry>): Cell<ModelEntry> {
  return (entry, look) => (entry.kind === "running" ? cell(entry, look) : nothing);
}

function words(title: string, width: number, from: number, cell: Cell<ModelEntry>): Column {
  return { title, width, from, isRight: false, cell };
}

function figures(title: string, width: number, from: number, cell: Cell<ModelEntry>): Column {
  return { title, width, from, isRight: true, cell };
}

const columns: Readonly<Record<Source, readonly Column[]>> = {
  local: [
    figures(
      "SIZE",
      7,
      0,
      local(({ model, download }) => figure(model?.sizeBytes ?? download?.totalBytes, formatBytes)),
    ),
    words(
      "QUANT",
      8,
      50,
      local(({ model }, { glyphs }) =>
        model === undefined || model.quantization === ""
          ? nothing
          : foreignSpan(model.quantization, "plain", glyphs.isAscii),
      ),
    ),
    figures(
      "CTX",
      4,
      58,
      local(({ model }) => figure(model?.memory?.trainedContextLength || undefined, formatWindow)),
    ),
    words(
      "FIT",
      5,
      0,
      local(({ estimate }) => (estimate === undefined ? nothing : fitWords[estimate.fit])),
    ),
    words(
      "STATE",
      10,
      0,
      local((entry, { glyphs }) => localStateCell(entry, glyphs)),
    ),
  ],
  hub: [
    figures(
      "PARAMS",
      7,
      46,
      hub(({ model }) => figure(model.parameterCount, formatCount)),
    ),
    figures(
      "PULLS",
      6,
      0,
      hub(({ model }) => figure(model.downloads, formatTally)),
    ),
    figures(
      "LIKES",
      5,
      58,
      hub(({ model }) => figure(model.likes, formatTally)),
    ),
    figures(
      "AGE",
      6,
      64,
      hub(({ model }, { nowMs }) => figure(model.modifiedMs, (at) => formatSpan(nowMs - at))),
    ),
    words(
      "STATE",
      10,
      0,
      hub((entry, { glyphs }) => hubStateCell(entry, glyphs)),
    ),
  ],
  running: [
    figures(
      "SIZE",
      7,
      0,
      running(({ loaded }) => figure(loaded.size, formatBytes)),
    ),
    words(
      "PROCESSOR",
      15,
      60,
      running(({ loaded }) => ({ text: processorOf(loaded), tone: "plain" })),
    ),
    figures(
      "CTX",
      4,
      46,
      running(({ loaded }) => figure(loaded.context_length || undefined, formatWindow)),
    ),
    words(
      "UNTIL",
      9,
      0,
      running(({ loaded }, { nowMs }) => ({ text: untilOf(loaded, nowMs), tone: "plain" })),
    ),
    words(
      "STATE",
      10,
      0,
      running(({ loaded }, { glyphs }) => loadedCell(loaded, glyphs)),
    ),
  ],
};

function figure(value: number | undefined, format: (value: number) => string): Span {
  return value === undefined ? nothing : { text: format(value), tone: "plain" };
}
