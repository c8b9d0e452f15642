// Columns of each list: cells, widths, and those that a narrow list drops.

import { formatBytes, formatCount, formatMemory } from "../../../base/formats.ts";
import { splitGraphemes } from "../../../base/graphemes.ts";
import { formatTally, roughSpan, tokenCount } from "../../../base/quantities.ts";
import { type Download, fractionOf } from "../../../client/download.ts";
import type { Fit } from "../../../client/memory-estimate.ts";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import { type Column, markerWidth } from "../../components/table.tsx";
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
import type { LoadingModel, Source } from "./models-state.ts";
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

export const fitWords: Readonly<Record<Fit, TextRun>> = {
  gpu: { text: "GPU", tone: "plain" },
  split: { text: "split", tone: "plain" },
  cpu: { text: "CPU", tone: "plain" },
  none: { text: "no", tone: "warning" },
};

/** The meaning of `fitWords`, as a line below the list. */
export function fitLegend({ separator }: Glyphs): string {
  const meanings = ["GPU all layers", "split some", "CPU only", "no too big"];
  return `FIT: ${meanings.join(` ${separator} `)}`;
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
  { ...figure("CTX", 4, tokenCount, trainedContext), from: 58 },
  { title: "FIT", width: 5, cell: ({ estimate }) => (estimate ? fitWords[estimate.fit] : nothing) },
  { title: "STATE", width: 10, cell: (entry, { glyphs }) => localStateCell(entry, glyphs) },
];

const hubColumns: readonly EntryColumn<HubEntry>[] = [
  figure("PARAMS", 7, formatCount, ({ model }) => model.parameterCount),
  figure("PULLS", 6, formatTally, ({ model }) => model.downloads),
  { ...figure("LIKES", 5, formatTally, ({ model }) => model.likes), from: 58 },
  { ...figure("AGE", 6, roughSpan, ageOf), from: 64 },
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

function trainedContext({ model }: LocalEntry): number | undefined {
  return model?.memory?.trainedContextLength || undefined;
}

function ageOf({ model: { modifiedMs } }: HubEntry, { nowMs }: CellLook): number | undefined {
  return modifiedMs && nowMs - modifiedMs;
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

export function localStateCell({ loaded, loading, download }: LocalEntry, glyphs: Glyphs): TextRun {
  if (download !== undefined && download.state !== "done") return downloadCell(download, glyphs);
  if (loaded !== undefined) return loadedCell(loaded, glyphs);
  if (loading !== undefined) return loadingCell(loading, glyphs);
  return { text: "", tone: "plain" };
}

function hubStateCell({ model, installed, download }: HubEntry, glyphs: Glyphs): TextRun {
  if (download !== undefined && download.state !== "done") return downloadCell(download, glyphs);
  if (installed.length > 0) return { text: "installed", tone: "plain" };
  if (model.isGated) return { text: "gated", tone: "warning" };
  return { text: "", tone: "plain" };
}

function loadedCell(loaded: LoadedEntry, glyphs: Glyphs): TextRun {
  if (loaded.state === "loading") {
    return loadingCell({ step: "load", fraction: loaded.load_progress }, glyphs);
  }
  if (loaded.state === "busy") return { text: `${glyphs.working} busy`, tone: "plain" };
  return { text: `${glyphs.ready} loaded`, tone: "plain" };
}

function downloadCell(download: Download, glyphs: Glyphs): TextRun {
  if (download.state === "failed") return { text: `${glyphs.failed} failed`, tone: "error" };
  const sign = download.state === "paused" ? "paused" : glyphs.below;
  return { text: `${sign}${percentOf(fractionOf(download))}`, tone: "plain" };
}

function loadingCell(
  { step, fraction }: Pick<LoadingModel, "step" | "fraction">,
  glyphs: Glyphs,
): TextRun {
  // The column has no room for 100 %, and the model is still loading then.
  const percent = percentOf(fraction === undefined ? undefined : Math.min(fraction, 0.99));
  return {
    text: `${glyphs.working} ${step === "check" ? "read" : "load"}${percent}`,
    tone: "plain",
  };
}

function percentOf(fraction: number | undefined): string {
  return fraction === undefined ? "" : ` ${Math.floor(fraction * 100)}%`;
}

/** `100% GPU`, `27%/73% CPU/GPU`, as `modelctl ps` has it. */
export function processorOf({ size, size_vram: vram }: LoadedEntry): string {
  if (vram <= 0) return "100% CPU";
  if (vram >= size) return "100% GPU";
  const cpu = Math.round(((size - vram) / size) * 100);
  return `${cpu}%/${100 - cpu}% CPU/GPU`;
}

const years20Ms = 20 * 365 * 86_400_000;

/** The time until it is unloaded: `4 min`, `forever`. */
export function timeToUnload({ expires_at: expiresAt, state }: LoadedEntry, nowMs: number): string {
  const aheadMs = Date.parse(expiresAt) - nowMs;
  if (state === "loading" || Number.isNaN(aheadMs)) return "-";
  if (aheadMs > years20Ms) return "forever";
  return aheadMs <= 0 ? "expired" : roughSpan(aheadMs);
}
