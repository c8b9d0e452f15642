// The columns of each list: what stands in them, how wide they are, and which go first when it is narrow.

import { formatBytes } from "../../../base/byte-format.ts";
import { formatCount } from "../../../base/count-format.ts";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import type { Span } from "../../frame/screen.ts";
import { foreignSpan } from "../../panes/styled-row.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import { type Download, fractionOf } from "./download.ts";
import type { Fit } from "./memory-estimate.ts";
import type { HubEntry, LocalEntry, ModelEntry, RunningEntry } from "./model-entries.ts";
import { formatSpan, formatTally, formatWindow } from "./model-figures.ts";
import type { Source } from "./models-state.ts";

export interface Column<Entry> {
  readonly title: string;
  readonly width: number;
  readonly isRight: boolean;
  /** The list must be at least so wide for the column to be there. */
  readonly from: number;
  cell(entry: Entry, look: CellLook): Span;
}

export interface CellLook {
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export const fitWords: Record<Fit, { text: string; tone: Tone }> = {
  gpu: { text: "GPU", tone: "good" },
  split: { text: "split", tone: "plain" },
  cpu: { text: "CPU", tone: "plain" },
  none: { text: "no", tone: "warning" },
};

/** What the words of the column mean, as a line below the list. */
export function fitLegend({ separator }: Glyphs): string {
  const meanings = ["GPU all layers", "split part", "CPU none", "no too big"];
  return `FIT: ${meanings.join(` ${separator} `)}`;
}

const nothing: Span = { text: "-", tone: "dim" };

const localColumns: readonly Column<LocalEntry>[] = [
  {
    title: "SIZE",
    width: 7,
    isRight: true,
    from: 0,
    cell: ({ model, download }) => bytesCell(model?.sizeBytes ?? download?.totalBytes),
  },
  {
    title: "QUANT",
    width: 8,
    isRight: false,
    from: 50,
    cell: ({ model }, { glyphs }) =>
      model === undefined || model.quantization === ""
        ? nothing
        : foreignSpan(model.quantization, "plain", glyphs.isAscii),
  },
  {
    title: "CTX",
    width: 4,
    isRight: true,
    from: 58,
    cell: ({ model }) => windowCell(model?.memory?.trainedContextLength),
  },
  {
    title: "FIT",
    width: 5,
    isRight: false,
    from: 0,
    cell: ({ estimate }) => (estimate === undefined ? nothing : fitWords[estimate.fit]),
  },
  { title: "STATE", width: 10, isRight: false, from: 0, cell: stateCell },
];

const hubColumns: readonly Column<HubEntry>[] = [
  {
    title: "PARAMS",
    width: 7,
    isRight: true,
    from: 46,
    cell: ({ model }) =>
      model.parameterCount === undefined
        ? nothing
        : { text: formatCount(model.parameterCount), tone: "plain" },
  },
  {
    title: "PULLS",
    width: 6,
    isRight: true,
    from: 0,
    cell: ({ model }) => tallyCell(model.downloads),
  },
  {
    title: "LIKES",
    width: 5,
    isRight: true,
    from: 58,
    cell: ({ model }) => tallyCell(model.likes),
  },
  {
    title: "AGE",
    width: 6,
    isRight: true,
    from: 64,
    cell: ({ model }, { nowMs }) =>
      model.modifiedMs === undefined
        ? nothing
        : { text: formatSpan(nowMs - model.modifiedMs), tone: "plain" },
  },
  { title: "STATE", width: 10, isRight: false, from: 0, cell: hubStateCell },
];

const runningColumns: readonly Column<RunningEntry>[] = [
  { title: "SIZE", width: 7, isRight: true, from: 0, cell: ({ loaded }) => bytesCell(loaded.size) },
  {
    title: "PROCESSOR",
    width: 15,
    isRight: false,
    from: 60,
    cell: ({ loaded }) => ({ text: processorOf(loaded), tone: "plain" }),
  },
  {
    title: "CTX",
    width: 4,
    isRight: true,
    from: 46,
    cell: ({ loaded }) => windowCell(loaded.context_length),
  },
  {
    title: "UNTIL",
    width: 9,
    isRight: false,
    from: 0,
    cell: ({ loaded }, { nowMs }) => ({ text: untilOf(loaded, nowMs), tone: "plain" }),
  },
  {
    title: "STATE",
    width: 10,
    isRight: false,
    from: 0,
    cell: ({ loaded }, { glyphs }) => loadedCell(loaded, glyphs),
  },
];

interface DrawnColumn {
  readonly title: string;
  readonly width: number;
  readonly isRight: boolean;
  cell(entry: ModelEntry, look: CellLook): Span;
}

/** The columns of a list so wide, but the name, which has the rest. */
export function columnsOf(source: Source, width: number): readonly DrawnColumn[] {
  const fitting = <Entry>(columns: readonly Column<Entry>[]) =>
    columns.filter(({ from }) => width >= from);
  switch (source) {
    case "local":
      return fitting(localColumns).map((column) => ({
        ...column,
        cell: (entry, look) => (entry.kind === "local" ? column.cell(entry, look) : nothing),
      }));
    case "hub":
      return fitting(hubColumns).map((column) => ({
        ...column,
        cell: (entry, look) => (entry.kind === "hub" ? column.cell(entry, look) : nothing),
      }));
    case "running":
      return fitting(runningColumns).map((column) => ({
        ...column,
        cell: (entry, look) => (entry.kind === "running" ? column.cell(entry, look) : nothing),
      }));
  }
}

function stateCell({ loaded, loading, download }: LocalEntry, { glyphs }: CellLook): Span {
  if (download !== undefined && download.state !== "done") {
    return downloadCell(download, glyphs);
  }
  if (loaded !== undefined) return loadedCell(loaded, glyphs);
  if (loading !== undefined) return loadingCell(loading.fraction, glyphs);
  return { text: "", tone: "plain" };
}

function hubStateCell({ model, installed, download }: HubEntry, { glyphs }: CellLook): Span {
  if (download !== undefined && download.state !== "done") return downloadCell(download, glyphs);
  if (installed.length > 0) return { text: "here", tone: "good" };
  if (model.isGated) return { text: "gated", tone: "warning" };
  return { text: "", tone: "plain" };
}

function downloadCell(download: Download, glyphs: Glyphs): Span {
  if (download.state === "failed") return { text: `${glyphs.failed} failed`, tone: "error" };
  const fraction = fractionOf(download);
  const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)}%`;
  const sign = download.state === "paused" ? "paused" : glyphs.below;
  return { text: `${sign}${percent}`, tone: "mark" };
}

function loadedCell(loaded: LoadedEntry, glyphs: Glyphs): Span {
  if (loaded.state === "loading") return loadingCell(loaded.load_progress, glyphs);
  if (loaded.state === "busy") return { text: `${glyphs.working} busy`, tone: "mark" };
  return { text: `${glyphs.ready} loaded`, tone: "good" };
}

function loadingCell(fraction: number | undefined, glyphs: Glyphs): Span {
  const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)}%`;
  return { text: `${glyphs.working} load${percent}`, tone: "mark" };
}

/** `100% GPU`, `27%/73% CPU/GPU`, as `modelctl ps` has it. */
export function processorOf({ size, size_vram: vram }: LoadedEntry): string {
  if (vram <= 0) return "100% CPU";
  if (vram >= size) return "100% GPU";
  const cpu = Math.round(((size - vram) / size) * 100);
  return `${cpu}%/${100 - cpu}% CPU/GPU`;
}

const years20Ms = 20 * 365 * 86_400_000;

/** How long it stays: `4 min`, `for good`. */
export function untilOf({ expires_at: expiresAt, state }: LoadedEntry, nowMs: number): string {
  const aheadMs = Date.parse(expiresAt) - nowMs;
  if (state === "loading" || Number.isNaN(aheadMs)) return "-";
  if (aheadMs > years20Ms) return "for good";
  return aheadMs <= 0 ? "leaving" : formatSpan(aheadMs);
}

function bytesCell(bytes: number | undefined): Span {
  return bytes === undefined ? nothing : { text: formatBytes(bytes), tone: "plain" };
}

function tallyCell(count: number | undefined): Span {
  return count === undefined ? nothing : { text: formatTally(count), tone: "plain" };
}

function windowCell(tokens: number | undefined): Span {
  if (tokens === undefined || tokens === 0) return nothing;
  return { text: formatWindow(tokens), tone: "plain" };
}
