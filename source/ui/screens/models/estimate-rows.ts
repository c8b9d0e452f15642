// The memory that loading a model would take, as bars, with the choices that it follows.

import { formatBytes } from "../../../base/byte-format.ts";
import type { Capacity } from "../../../client/models-capacity.ts";
import type { Span, StyledRow } from "../../frame/screen.ts";
import { textRow } from "../../panes/styled-row.ts";
import type { Glyphs } from "../../theme.ts";
import { barText } from "./bar-text.ts";
import { freeVramBytes, type LoadChoice, type MemoryEstimate } from "./memory-estimate.ts";
import { formatWindow } from "./model-figures.ts";

export interface EstimateLook {
  readonly width: number;
  readonly glyphs: Glyphs;
}

const labelWidth = 9;
const figureWidth = 9;

export function estimateRows(
  estimate: MemoryEstimate,
  capacity: Capacity,
  choice: LoadChoice,
  look: EstimateLook,
): readonly StyledRow[] {
  const { weightsBytes, cacheBytes, computeBytes, totalBytes } = estimate;
  const window = formatWindow(estimate.contextLength);
  const slots = capacity.slots > 1 ? `, ${slotsText(estimate.slots, capacity.slots)}` : "";
  const bar = (label: string, bytes: number) => barRow(label, bytes, totalBytes, look);
  return [
    textRow(`Memory estimate at ${window} context${slots}`, "title"),
    bar("weights", weightsBytes),
    bar("KV cache", cacheBytes),
    bar("compute", computeBytes),
    ...totalRows(estimate, capacity),
    [],
    ...choiceRows(estimate, choice),
    ...layersRow(estimate),
  ];
}

/** How many windows there are, and that there is no room for more. */
function slotsText(slots: number, most: number): string {
  if (slots === most) return `${slots} slots`;
  return `${slots} of ${most} slots`;
}

function barRow(label: string, bytes: number, totalBytes: number, look: EstimateLook): StyledRow {
  const barWidth = Math.max(0, Math.min(16, look.width - labelWidth - figureWidth));
  const fraction = totalBytes > 0 ? bytes / totalBytes : 0;
  return [
    span(label.padEnd(labelWidth)),
    { text: barText(fraction, barWidth, look.glyphs), tone: "good" },
    span(formatBytes(bytes).padStart(figureWidth)),
  ];
}

const fitSentences = {
  gpu: "all layers on the GPU",
  split: "split between GPU and CPU",
  cpu: "on the CPU",
  none: "does not fit",
} as const;

function totalRows({ totalBytes, fit }: MemoryEstimate, capacity: Capacity): StyledRow[] {
  const freeBytes =
    capacity.gpus.length > 0 && fit === "gpu"
      ? freeVramBytes(capacity)
      : freeVramBytes(capacity) + capacity.memory.freeBytes;
  return [
    [
      span("total".padEnd(labelWidth)),
      { text: formatBytes(totalBytes), tone: "value" },
      span(` of ${formatBytes(freeBytes)} free`),
    ],
    [
      span(" ".repeat(labelWidth)),
      { text: fitSentences[fit], tone: fit === "none" ? "warning" : "plain" },
    ],
  ];
}

/** What was chosen or comes by itself, and the keys that change it. */
function choiceRows(
  { contextLength, cacheType }: MemoryEstimate,
  { contextLength: chosenLength, cacheType: chosenType }: LoadChoice,
): StyledRow[] {
  const row = (label: string, value: unknown, chosen: unknown, keys: string): StyledRow => [
    span(label.padEnd(labelWidth)),
    { text: `[${value}${chosen === undefined ? " auto" : ""}]`, tone: "value" },
    { text: `  ${keys}`, tone: "key" },
  ];
  return [
    row("Context", contextLength, chosenLength, "+ - ="),
    row("KV cache", cacheType, chosenType, "t"),
  ];
}

function layersRow({ gpuLayers, layers }: MemoryEstimate): StyledRow[] {
  if (gpuLayers === undefined) return [];
  const about = gpuLayers < layers ? "about " : "";
  return [textRow(`GPU layers auto: ${about}${gpuLayers}/${layers}`)];
}

function span(text: string): Span {
  return { text, tone: "plain" };
}
