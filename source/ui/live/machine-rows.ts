// What the machine does, as rows: graphics cards where there are, else processor and memory.

import type { ServerSample } from "../../client/metrics.ts";
import type { Span, StyledRow } from "../frame/screen.ts";
import { bar } from "../panes/bar.ts";
import { sparkline } from "../panes/sparkline.ts";
import { percentage, usedOfTotal } from "../text/quantities.ts";
import type { Glyphs } from "../theme.ts";

const labelCells = 8;
/** Most cards that have rows of their own. */
const gpusMaximum = 2;

/**
 * A label, what fills the middle, a value at the right; the whole in `width` cells.
 * @param middle made for the cells that are left
 */
export function quantityRow(
  label: string,
  value: string,
  width: number,
  middle: (cells: number) => readonly Span[],
): StyledRow {
  const room = Math.max(0, width - labelCells - value.length - 1);
  return [
    { text: label.padEnd(labelCells).slice(0, labelCells), tone: "dim" },
    ...middle(room),
    { text: " ", tone: "plain" },
    { text: value, tone: "value" },
  ];
}

/** @param samples oldest first; none makes no rows */
export function machineRows(
  samples: readonly ServerSample[],
  width: number,
  glyphs: Glyphs,
): StyledRow[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const gpuRows = sample.gpus
    .slice(0, gpusMaximum)
    .flatMap((_, index) => rowsOfGpu(samples, index, width, glyphs));
  const more = sample.gpus.length - gpusMaximum;
  if (more > 0) gpuRows.push([{ text: `and ${more} more`, tone: "dim" }]);
  return [
    ...gpuRows,
    ...(gpuRows.length > 0 ? [] : [cpuRow(samples, width, glyphs)]),
    memoryRow("RAM", sample.memoryUsedBytes, sample.memoryTotalBytes, width, glyphs),
  ];
}

function cpuRow(samples: readonly ServerSample[], width: number, glyphs: Glyphs): StyledRow {
  const loads = samples.map(({ cpuLoad }) => cpuLoad);
  const value = percentage(loads.at(-1) ?? 0).padStart(4);
  const heat = heatText(samples.at(-1)?.cpuCelsius, glyphs);
  return quantityRow("CPU", value + heat, width, (cells) => [
    { text: sparkline(loads, cells, glyphs, 1), tone: "good" },
  ]);
}

function memoryRow(
  label: string,
  usedBytes: number,
  totalBytes: number,
  width: number,
  glyphs: Glyphs,
): StyledRow {
  const share = totalBytes > 0 ? usedBytes / totalBytes : 0;
  return quantityRow(label, usedOfTotal(usedBytes, totalBytes), width, (cells) =>
    bar(share, cells, glyphs),
  );
}

function rowsOfGpu(
  samples: readonly ServerSample[],
  index: number,
  width: number,
  glyphs: Glyphs,
): StyledRow[] {
  const gpu = samples.at(-1)?.gpus[index];
  if (gpu === undefined) return [];
  const { load, temperatureCelsius, memoryUsedBytes, memoryTotalBytes } = gpu;
  const rows: StyledRow[] = [];
  if (load !== undefined) {
    const heat = heatText(temperatureCelsius, glyphs);
    const loads = samples.map(({ gpus }) => gpus[index]?.load ?? 0);
    rows.push(
      quantityRow(`GPU${index}`, `${percentage(load).padStart(4)}${heat}`, width, (cells) => [
        { text: sparkline(loads, cells, glyphs, 1), tone: "good" },
      ]),
    );
  }
  if (memoryUsedBytes !== undefined && memoryTotalBytes !== undefined) {
    rows.push(memoryRow("VRAM", memoryUsedBytes, memoryTotalBytes, width, glyphs));
  }
  return rows;
}

function heatText(celsius: number | undefined, { isAscii }: Glyphs): string {
  return celsius === undefined ? "" : `  ${Math.round(celsius)} ${isAscii ? "C" : "°C"}`;
}
