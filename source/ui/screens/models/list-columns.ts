// Columns of each list: cells, widths, and those that a narrow list drops.

import { formatBytes, formatCount, formatMemory } from "../../../base/formats.ts";
import { splitGraphemes } from "../../../base/graphemes.ts";
import { formatTally, knownRate, roughSpan, tokenCount } from "../../../base/quantities.ts";
import { type Download, fractionOf } from "../../../client/download.ts";
import type { Fit } from "../../../client/memory-estimate.ts";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import { type Column, figureColumn } from "../../components/table.tsx";
import type { TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
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
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export const fitWords: Readonly<Record<Fit, TextRun>> = {
  gpu: { text: "GPU", tone: "plain" },
  split: { text: "split", tone: "plain" },
  cpu: { text: "CPU", tone: "plain" },
  none: { text: "no", tone: "warning" },
};

/** The meaning of `fitWords`, as a line below the list. */
export function fitLegend(): string {
  const meanings = ["GPU all layers", "split some", "CPU only", "no too big"];
  return `FIT: ${meanings.join(` ${glyphs.separator} `)}`;
}

const nothing: TextRun = { text: "-", tone: "dim" };

const spokenFits: Readonly<Record<Fit, string>> = {
  gpu: "fits on the GPU",
  split: "fits on GPU and CPU",
  cpu: "fits on the CPU",
  none: "is too big",
};

/** The columns right of the name, and the cells that the name keeps before one of them is dropped. */
const lists: Readonly<
  Record<Source, { nameWidth: number; columns: (look: CellLook) => readonly Column<ModelEntry>[] }>
> = {
  local: { nameWidth: 17, columns: localColumns },
  hub: { nameWidth: 24, columns: hubColumns },
  running: { nameWidth: 8, columns: runningColumns },
};

function localColumns(): readonly Column<LocalEntry>[] {
  return [
    figureColumn(
      ["SIZE", 7, 0],
      formatBytes,
      ({ model, download, found }) => model?.sizeBytes ?? download?.totalBytes ?? found?.sizeBytes,
      (text, { model }) => (model === undefined ? "" : text),
    ),
    {
      title: "QUANT",
      width: 8,
      cell: ({ model }) =>
        model?.quantization ? { text: model.quantization, tone: "plain" } : nothing,
      spoken: (text) => text,
    },
    figureColumn(["CTX", 4, 1], tokenCount, trainedContext, (text) => text && `context ${text}`),
    { title: "TOK/S", width: 9, rank: 2, align: "right", cell: speedCell },
    {
      title: "FIT",
      width: 5,
      cell: ({ estimate }) => (estimate ? fitWords[estimate.fit] : nothing),
      spoken: (_, { estimate }) => (estimate ? spokenFits[estimate.fit] : ""),
    },
    {
      title: "STATE",
      width: 10,
      cell: (entry) => localStateCell(entry),
      spoken: (_, entry) => spokenState(entry),
    },
  ];
}

function hubColumns({ nowMs }: CellLook): readonly Column<HubEntry>[] {
  return [
    figureColumn(["PARAMS", 7, 0], formatCount, ({ model }) => model.parameterCount),
    figureColumn(
      ["PULLS", 6, 0],
      formatTally,
      ({ model }) => model.downloads,
      (text) => text && `${text} downloads`,
    ),
    figureColumn(["LIKES", 5, 1], formatTally, ({ model }) => model.likes),
    figureColumn(
      ["AGE", 6, 2],
      roughSpan,
      ({ model: { modifiedMs } }) => modifiedMs && nowMs - modifiedMs,
    ),
    {
      title: "STATE",
      width: 10,
      cell: (entry) => hubStateCell(entry),
      spoken: (text, { download }) => (download === undefined ? text : spokenDownload(download)),
    },
  ];
}

function runningColumns({ nowMs }: CellLook): readonly Column<RunningEntry>[] {
  return [
    figureColumn(
      ["SIZE", 7, 0],
      formatMemory,
      ({ loaded }) => loaded.size,
      (text) => `${text} in memory`,
    ),
    {
      title: "PROCESSOR",
      width: 15,
      rank: 1,
      cell: ({ loaded }) => ({ text: processorOf(loaded), tone: "plain" }),
    },
    figureColumn(["CTX", 4, 0], tokenCount, ({ loaded }) => loaded.context_length || undefined),
    {
      title: "UNTIL",
      width: 9,
      cell: ({ loaded }) => ({ text: timeToUnload(loaded, nowMs), tone: "plain" }),
    },
    {
      title: "STATE",
      width: 10,
      cell: ({ loaded }) => loadedCell(loaded),
      spoken: (_, { loaded }) => loaded.state,
    },
  ];
}

/** Dims an estimate, a range, until an answer is measured. */
function speedCell({ model }: LocalEntry): TextRun {
  const text = model && knownRate(model.speed);
  if (model === undefined || text === undefined) return nothing;
  return { text, tone: model.speed.measured === undefined ? "dim" : "plain" };
}

function trainedContext({ model }: LocalEntry): number | undefined {
  return model?.memory?.trainedContextLength || undefined;
}

/** Returns the columns of a list; the name takes the cells that the others leave. */
export function listColumns(source: Source, look: CellLook): readonly Column<FoundEntry>[] {
  const { nameWidth, columns } = lists[source];
  return [
    {
      title: "NAME",
      width: nameWidth,
      isFlexible: true,
      cell: (found, width) => nameRuns(found, width),
      spoken: (_, { entry }) => entry.name,
    },
    ...columns(look).map((column) => ({
      ...column,
      cell: ({ entry }: FoundEntry, width: number) => column.cell(entry, width),
      spoken: (text: string, { entry }: FoundEntry) => column.spoken?.(text, entry) ?? "",
    })),
  ];
}

/** Marks the letters of a name that match the filter. */
function nameRuns({ entry, matches }: FoundEntry, width: number): TextRun[] {
  const shown = shortName(entry.name, width, glyphs.ellipsis);
  // Matches are offsets from the beginning of the full name.
  const marked = new Set(entry.name.startsWith(shown) ? matches : []);
  const runs: TextRun[] = [];
  let offset = 0;
  for (const grapheme of splitGraphemes(shown)) {
    const tone = marked.has(offset) ? "mark" : "plain";
    const last = runs.at(-1);
    if (last?.tone === tone) runs[runs.length - 1] = { text: last.text + grapheme, tone };
    else runs.push({ text: grapheme, tone });
    offset += grapheme.length;
  }
  return runs;
}

export function localStateCell(entry: LocalEntry): TextRun {
  const { loaded, loading, download, found } = entry;
  if (found !== undefined) return { text: "not added", tone: "dim" };
  if (download !== undefined && download.state !== "done") return downloadCell(download);
  if (loaded !== undefined) return loadedCell(loaded);
  if (loading !== undefined) return loadingCell(loading);
  return { text: "", tone: "plain" };
}

const stepWords = { check: "checking", load: "loading", warm: "warming up" } as const;

function spokenState({ download, loading, loaded }: LocalEntry): string {
  if (download !== undefined) return spokenDownload(download);
  if (loading !== undefined) return stepWords[loading.step];
  return loaded === undefined ? "" : "loaded";
}

/** `download running at 43 percent`. */
function spokenDownload(download: Download): string {
  const fraction = fractionOf(download);
  const percent = fraction === undefined ? "" : ` at ${Math.floor(fraction * 100)} percent`;
  const reason = download.error === undefined ? "" : `: ${download.error}`;
  return `download ${download.state}${percent}${reason}`;
}

function hubStateCell({ model, installed, download }: HubEntry): TextRun {
  if (download !== undefined && download.state !== "done") return downloadCell(download);
  if (installed.length > 0) return { text: "installed", tone: "plain" };
  if (model.isGated) return { text: "gated", tone: "warning" };
  return { text: "", tone: "plain" };
}

function loadedCell(loaded: LoadedEntry): TextRun {
  if (loaded.state === "loading") {
    return loadingCell({ step: "load", fraction: loaded.load_progress });
  }
  if (loaded.state === "warming up") return warmingUp;
  if (loaded.state === "busy") return { text: `${glyphs.working} busy`, tone: "plain" };
  return { text: `${glyphs.ready} loaded`, tone: "plain" };
}

function downloadCell(download: Download): TextRun {
  if (download.state === "failed") return { text: `${glyphs.failed} failed`, tone: "error" };
  const sign = download.state === "paused" ? "paused" : glyphs.below;
  return { text: `${sign}${percentOf(fractionOf(download))}`, tone: "plain" };
}

/** Fills the column: there is no room for a sign. */
const warmingUp: TextRun = { text: "warming up", tone: "plain" };

function loadingCell({ step, fraction }: Pick<LoadingModel, "step" | "fraction">): TextRun {
  if (step === "warm") return warmingUp;
  // The column has no room for 100 %.
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
  if (state === "loading" || state === "warming up" || Number.isNaN(aheadMs)) return "-";
  if (aheadMs > years20Ms) return "forever";
  return aheadMs <= 0 ? "expired" : roughSpan(aheadMs);
}
