// Report: rows from the samples of all rounds, as a table and a JSON file.

import { writeFile } from "node:fs/promises";
import { type Metric, type MetricKey, metrics } from "./measurements.ts";

/** Values at the same index of both lists were taken one after the other. */
export interface Samples {
  ours: number[];
  peer: number[];
  /** Cores that other programs used while the pair was measured. */
  foreignCores: number[];
}

export interface Row {
  threads: number;
  metric: MetricKey;
  unit: string;
  ours: number;
  peer: number;
  /** Median of the pairs' ratios, as a temporary slowdown affects both values of a pair. */
  ratio: number;
  foreignCores: number;
  target: string;
  isMet: boolean | undefined;
  samples: Samples;
}

/** Figure without a peer, or with a peer other than a server. */
export interface Figure {
  label: string;
  unit: "ms" | "s" | "req/s" | "MB/s" | "kB/s" | "tok/s" | "cores" | "x" | "%" | "MiB" | "failures";
  samples: readonly number[];
  /** Target for the median. */
  target?: { bound: "below" | "at least"; value: number };
}

export function summarise(threads: number, samples: ReadonlyMap<MetricKey, Samples>): Row[] {
  return (Object.keys(metrics) as MetricKey[]).flatMap((key) => {
    const found = samples.get(key);
    return found ? [summariseMetric(threads, key, found)] : [];
  });
}

function summariseMetric(threads: number, key: MetricKey, samples: Samples): Row {
  const { unit, target }: Metric = metrics[key];
  const ratio = median(
    samples.ours.map((value, index) => value / (samples.peer[index] ?? Number.NaN)),
  );
  const isMet =
    target && (target.bound === "at least" ? ratio >= target.ratio : ratio <= target.ratio);
  return {
    threads,
    metric: key,
    unit,
    ours: median(samples.ours),
    peer: median(samples.peer),
    ratio,
    foreignCores: median(samples.foreignCores),
    target: target ? `${target.bound} ${target.ratio}` : "",
    isMet,
    samples,
  };
}

export function formatRows(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    String(row.threads),
    metrics[row.metric].label,
    row.unit,
    formatValue(row.ours),
    formatValue(row.peer),
    row.ratio.toFixed(2),
    row.foreignCores.toFixed(2),
    row.target,
    formatVerdict(row.isMet),
  ]);
  const head = [
    "threads",
    "measurement",
    "unit",
    "ours",
    "peer",
    "ratio",
    "others",
    "target",
    "verdict",
  ];
  return formatTable([head, ...cells], [0, 3, 4, 5, 6]);
}

export function formatFigures(figures: readonly Figure[]): string {
  const cells = figures.map(({ label, unit, samples, target }) => {
    const middle = median(samples);
    const isMet =
      target && (target.bound === "below" ? middle < target.value : middle >= target.value);
    const shown = ["x", "cores", "s"].includes(unit) ? middle.toFixed(2) : formatValue(middle);
    const wanted = target ? `${target.bound} ${target.value}` : "";
    return [label, unit, shown, wanted, formatVerdict(isMet)];
  });
  return formatTable([["measurement", "unit", "median", "target", "verdict"], ...cells], [2]);
}

export async function writeReport(path: string, report: object): Promise<void> {
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

function formatTable(lines: readonly string[][], rightAligned: readonly number[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return rightAligned.includes(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function formatValue(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}

function formatVerdict(isMet: boolean | undefined): string {
  if (isMet === undefined) return "";
  return isMet ? "✓ met" : "✗ missed";
}
