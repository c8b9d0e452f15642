// Figures of the machine: GPUs, otherwise the CPU, and memory.

import { percentage, usedOfTotal } from "../../base/quantities.ts";
import type { ServerSample } from "../../client/metrics.ts";
import type { Tone } from "../theme.ts";

/** A figure in one row. */
export type Figure =
  /** The last values, oldest first, and the newest as text. */
  | (FigureText & { readonly kind: "trend"; readonly values: readonly number[] })
  | (FigureText & { readonly kind: "gauge"; readonly share: number })
  | (FigureText & { readonly kind: "text"; readonly tone?: Tone })
  /** A model's name as label, cut to the room, and its state at the right. */
  | (FigureText & { readonly kind: "state"; readonly tone: Tone; readonly labelTone?: Tone });

interface FigureText {
  /** Up to 8 cells; if empty, the value starts at the left. */
  readonly label: string;
  readonly value: string;
}

/** Number of GPUs that get their own rows. */
const gpusMaximum = 2;

/** @param samples oldest first */
export function machineFigures(samples: readonly ServerSample[]): Figure[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const cards = sample.gpus.slice(0, gpusMaximum).flatMap((_, index) => gpuFigures(samples, index));
  const more = sample.gpus.length - gpusMaximum;
  if (more > 0) cards.push({ kind: "text", label: "", value: `and ${more} more`, tone: "dim" });
  return [
    ...(cards.length > 0 ? cards : [cpuFigure(samples)]),
    memoryFigure("RAM", sample.memoryUsedBytes, sample.memoryTotalBytes),
  ];
}

function cpuFigure(samples: readonly ServerSample[]): Figure {
  const values = samples.map(({ cpuLoad }) => cpuLoad);
  const heat = heatText(samples.at(-1)?.cpuCelsius);
  return { kind: "trend", label: "CPU", value: loadText(values.at(-1) ?? 0) + heat, values };
}

function gpuFigures(samples: readonly ServerSample[], index: number): Figure[] {
  const gpu = samples.at(-1)?.gpus[index];
  if (gpu === undefined) return [];
  const { load, temperatureCelsius, memoryUsedBytes, memoryTotalBytes } = gpu;
  const figures: Figure[] = [];
  if (load !== undefined) {
    const values = samples.map(({ gpus }) => gpus[index]?.load ?? 0);
    const value = loadText(load) + heatText(temperatureCelsius);
    figures.push({ kind: "trend", label: `GPU${index}`, value, values });
  }
  if (memoryUsedBytes !== undefined && memoryTotalBytes !== undefined) {
    figures.push(memoryFigure("VRAM", memoryUsedBytes, memoryTotalBytes));
  }
  return figures;
}

function memoryFigure(label: string, usedBytes: number, totalBytes: number): Figure {
  const share = totalBytes > 0 ? usedBytes / totalBytes : 0;
  return { kind: "gauge", label, value: usedOfTotal(usedBytes, totalBytes), share };
}

function loadText(load: number): string {
  return percentage(load).padStart(4);
}

function heatText(celsius: number | undefined): string {
  return celsius === undefined ? "" : `  ${Math.round(celsius)}°C`;
}
