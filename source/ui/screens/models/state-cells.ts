// State of a model in a cell: a symbol and a word.

import type { LoadedEntry } from "../../../client/model-calls.ts";
import { roughSpan } from "../../text/quantities.ts";
import type { TextRun } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import { type Download, fractionOf } from "./download.ts";
import type { Fit } from "./estimate.ts";
import type { HubEntry, LocalEntry } from "./model-entries.ts";
import type { LoadingModel } from "./models-state.ts";

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

export function localStateCell({ loaded, loading, download }: LocalEntry, glyphs: Glyphs): TextRun {
  if (download !== undefined && download.state !== "done") return downloadCell(download, glyphs);
  if (loaded !== undefined) return loadedCell(loaded, glyphs);
  if (loading !== undefined) return loadingCell(loading, glyphs);
  return { text: "", tone: "plain" };
}

export function hubStateCell({ model, installed, download }: HubEntry, glyphs: Glyphs): TextRun {
  if (download !== undefined && download.state !== "done") return downloadCell(download, glyphs);
  if (installed.length > 0) return { text: "installed", tone: "plain" };
  if (model.isGated) return { text: "gated", tone: "warning" };
  return { text: "", tone: "plain" };
}

export function loadedCell(loaded: LoadedEntry, glyphs: Glyphs): TextRun {
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
