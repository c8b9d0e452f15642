// The list in words for screen readers: its length, the selected model, the field.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { formatBytes, formatMemory } from "../../../base/formats.ts";
import { formatTally, plural, tokenCount } from "../../../base/quantities.ts";
import { fractionOf } from "../../../client/download.ts";
import type { Fit } from "../../../client/memory-estimate.ts";
import { harmlessRow } from "../../text/text-run.ts";
import { entriesOf, type ModelEntry, selectedRow } from "./model-entries.ts";
import type { ModelsState } from "./models-state.ts";

/** Short, since every change is read out as a whole. */
export function ReaderList({ state }: { readonly state: ModelsState }): ReactElement {
  const { source, work, isTyping } = state;
  const entries = entriesOf(state, source);
  const selected = selectedRow(state, entries);
  const entry = entries[selected]?.entry;
  const { error } = state[source];
  const lines = [
    `List ${source}: ${plural(entries.length, "model")}`,
    error !== undefined && `Error: ${error}`,
    work,
    entry === undefined
      ? "Selected: none"
      : `Selected: ${description(entry)}${stateWords(entry)}, ${selected + 1} of ${entries.length}`,
    isTyping && `Filter: ${state.lists[source].filter.text}`,
  ].filter((line) => typeof line === "string");
  return (
    <Box flexDirection="column">
      {lines.map((line) => (
        <Text key={line}>{harmlessRow(line)}</Text>
      ))}
    </Box>
  );
}

const fitWords: Record<Fit, string> = {
  gpu: "fits on the GPU",
  split: "fits on GPU and CPU",
  cpu: "fits on the CPU",
  none: "is too big",
};

function description(entry: ModelEntry): string {
  switch (entry.kind) {
    case "local": {
      const { model, estimate } = entry;
      if (model === undefined) return entry.name;
      const window = model.memory?.trainedContextLength;
      return [
        entry.name,
        formatBytes(model.sizeBytes),
        model.quantization,
        window !== undefined && `context ${tokenCount(window)}`,
        estimate && fitWords[estimate.fit],
      ]
        .filter(Boolean)
        .join(", ");
    }
    case "hub": {
      const { downloads, isGated } = entry.model;
      return [
        entry.name,
        downloads !== undefined && `${formatTally(downloads)} downloads`,
        isGated && "gated",
        entry.installed.length > 0 && "installed",
      ]
        .filter(Boolean)
        .join(", ");
    }
    case "running":
      return `${entry.name}, ${formatMemory(entry.loaded.size)} in memory`;
  }
}

const stepWords = { check: "checking", load: "loading", warm: "warming up" } as const;

/** `, loaded`; nothing for a model at rest. */
function stateWords(entry: ModelEntry): string {
  if (entry.kind === "running") return `, ${entry.loaded.state}`;
  const { download } = entry;
  if (download !== undefined) {
    const fraction = fractionOf(download);
    const percent = fraction === undefined ? "" : ` at ${Math.floor(fraction * 100)} percent`;
    const reason = download.error === undefined ? "" : `: ${download.error}`;
    return `, download ${download.state}${percent}${reason}`;
  }
  if (entry.kind === "hub") return "";
  const { loading, loaded } = entry;
  if (loading !== undefined) return `, ${stepWords[loading.step]}`;
  return loaded === undefined ? "" : ", loaded";
}
