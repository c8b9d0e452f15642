// Memory needed to load a model, as bars, with the choices that change it.

import type { ReactElement } from "react";
import { formatMemory } from "../../../base/formats.ts";
import { tokenCount } from "../../../base/quantities.ts";
import {
  freeVramBytes,
  type LoadChoice,
  type MemoryEstimate,
} from "../../../client/memory-estimate.ts";
import type { Capacity } from "../../../client/models-store.ts";
import { ProgressBar } from "../../components/bars.tsx";
import { Line, TextLine } from "../../components/line.tsx";
import { Text } from "../../components/text.tsx";
import type { TextRun } from "../../text/text-run.ts";

const labelWidth = 9;
const figureWidth = 9;
const barWidthMaximum = 16;

const fitSentences = {
  gpu: "all layers on the GPU",
  split: "split between GPU and CPU",
  cpu: "on the CPU",
  none: "does not fit",
} as const;

export interface MemoryEstimateProps {
  readonly estimate: MemoryEstimate;
  readonly capacity: Capacity;
  readonly choice: LoadChoice;
  readonly width: number;
}

/** A fragment of rows for a `ScrollPanel`. */
export function memoryEstimateRows(props: MemoryEstimateProps): ReactElement {
  const { estimate, capacity, choice, width } = props;
  const { contextLength, cacheType, totalBytes, fit, gpuLayers, layers } = estimate;
  const barWidth = Math.max(0, Math.min(barWidthMaximum, width - labelWidth - figureWidth));
  const bar = (label: string, bytes: number) => (
    <Text wrap="truncate">
      {label.padEnd(labelWidth)}
      <ProgressBar fraction={totalBytes > 0 ? bytes / totalBytes : 0} width={barWidth} />
      {formatMemory(bytes).padStart(figureWidth)}
    </Text>
  );
  const row = (label: string, ...runs: TextRun[]) => (
    <Line runs={[{ text: label.padEnd(labelWidth), tone: "plain" }, ...runs]} />
  );
  const setting = (label: string, value: string | number, chosen: unknown, keys: string) => {
    const shown = `[${value}${chosen === undefined ? " auto" : ""}]`;
    return row(label, { text: shown, tone: "value" }, { text: `  ${keys}`, tone: "key" });
  };
  const total: TextRun = { text: formatMemory(totalBytes), tone: "value" };
  const free = formatMemory(freeBytesFor(estimate, capacity));
  return (
    <>
      <TextLine text={titleOf(estimate, capacity)} tone="title" width={width} />
      {bar("weights", estimate.weightsBytes)}
      {bar("KV cache", estimate.cacheBytes)}
      {bar("compute", estimate.computeBytes)}
      {row("total", total, { text: ` of ${free} free`, tone: "plain" })}
      {row("", { text: fitSentences[fit], tone: fit === "none" ? "warning" : "plain" })}
      <Line runs={[]} />
      {setting("Context", contextLength, choice.contextLength, "+ - =")}
      {setting("KV cache", cacheType, choice.cacheType, "t")}
      {gpuLayers !== undefined && (
        <TextLine
          text={`GPU layers auto: ${gpuLayers < layers ? "about " : ""}${gpuLayers}/${layers}`}
          tone="plain"
          width={width}
        />
      )}
    </>
  );
}

/** `Memory estimate at 8k context, 2 of 4 slots`. */
function titleOf({ contextLength, slots }: MemoryEstimate, capacity: Capacity): string {
  const title = `Memory estimate at ${tokenCount(contextLength)} context`;
  if (capacity.slots <= 1) return title;
  return `${title}, ${slots === capacity.slots ? slots : `${slots} of ${capacity.slots}`} slots`;
}

/** Returns the free memory that the model could use. */
function freeBytesFor({ fit }: MemoryEstimate, capacity: Capacity): number {
  const vramBytes = freeVramBytes(capacity);
  const isOnGpuAlone = capacity.gpus.length > 0 && fit === "gpu";
  return isOnGpuAlone ? vramBytes : vramBytes + capacity.memory.freeBytes;
}
