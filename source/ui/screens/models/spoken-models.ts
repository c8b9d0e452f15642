// The models as plain lines, for screen readers: what changes often is told in the footer alone.

import { formatBytes } from "../../../base/byte-format.ts";
import { neutraliseLine } from "../../text/neutralise.ts";
import { fractionOf } from "./download.ts";
import type { Fit } from "./memory-estimate.ts";
import { entriesOf, type ModelEntry, selectedEntry } from "./model-entries.ts";
import { formatTally, formatWindow } from "./model-figures.ts";
import type { ModelsState } from "./models-state.ts";

const fitWords: Record<Fit, string> = {
  gpu: "fits on the GPU",
  split: "fits on GPU and CPU together",
  cpu: "fits on the CPU",
  none: "is too big",
};

/** A line for each model of the list in sight. */
export function spokenLines(state: ModelsState): readonly string[] {
  const entries = entriesOf(state, state.source);
  const { error } = state[state.source];
  return [
    `List ${state.source}: ${entries.length} ${entries.length === 1 ? "model" : "models"}`,
    ...(error === undefined ? [] : [neutraliseLine(`Error: ${error}`, false)]),
    ...entries.map(({ entry }) => neutraliseLine(spokenEntry(entry), false)),
  ];
}

/** The selected model with what it is at, and the field that is typed in. */
export function spokenFooter(state: ModelsState): readonly string[] {
  const entry = selectedEntry(state);
  const selected = entry === undefined ? "nothing" : `${entry.name}${spokenState(entry)}`;
  const filter = state.lists[state.source].filter.text;
  return [
    ...(state.work === undefined ? [] : [neutraliseLine(state.work, false)]),
    neutraliseLine(`Selected: ${selected}`, false),
    ...(state.isTyping ? [neutraliseLine(`Filter: ${filter}`, false)] : []),
  ];
}

function spokenEntry(entry: ModelEntry): string {
  switch (entry.kind) {
    case "local": {
      const { model, estimate } = entry;
      if (model === undefined) return `${entry.name}, on its way`;
      const window = model.memory?.trainedContextLength;
      return listed([
        entry.name,
        formatBytes(model.sizeBytes),
        model.quantization,
        window === undefined ? "" : `context ${formatWindow(window)}`,
        estimate === undefined ? "" : fitWords[estimate.fit],
      ]);
    }
    case "hub": {
      const { downloads, isGated } = entry.model;
      return listed([
        entry.name,
        downloads === undefined ? "" : `${formatTally(downloads)} downloads`,
        isGated ? "gated" : "",
        entry.installed.length > 0 ? "on this machine" : "",
      ]);
    }
    case "running":
      return listed([entry.name, `${formatBytes(entry.loaded.size)} in memory`]);
  }
}

function spokenState(entry: ModelEntry): string {
  if (entry.kind === "running") return `, ${entry.loaded.state}`;
  const { download } = entry;
  if (download !== undefined) {
    const fraction = fractionOf(download);
    const percent = fraction === undefined ? "" : ` at ${Math.floor(fraction * 100)} percent`;
    return `, download ${download.state}${percent}${download.error === undefined ? "" : `: ${download.error}`}`;
  }
  if (entry.kind === "hub") return "";
  if (entry.loading !== undefined)
    return entry.loading.step === "check" ? ", checking" : ", loading";
  return entry.loaded === undefined ? "" : ", loaded";
}

function listed(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}
