// Ready-made answers to how an app grows and shrinks.

import type { ScaleSettings } from "../../../cloud/app-config.ts";

export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Texts of the fields that it fills, by their names. */
  readonly texts: Readonly<Record<string, string>>;
}

export const presets: readonly Preset[] = [
  preset("cheapest", "Cheapest", "0 to 1 replica, kept for 60 s", ["0", "1", "0"]),
  preset("responsive", "Responsive", "1 to 4: one is always there", ["1", "4", "0"]),
  preset("bursty", "Bursty", "0 to 8, one of them spare", ["0", "8", "1"]),
];

/** The requests at a time that the preview is for. */
export const previewDemands = [10, 50, 200] as const;

export interface PreviewRow {
  readonly demand: number;
  readonly replicas: number;
  readonly queued: number;
}

/** How many replicas each demand would have, and how many requests would wait. */
export function previewOf(
  scale: ScaleSettings,
  previewScale: (scale: ScaleSettings, demand: number) => { replicas: number; queued: number },
): readonly PreviewRow[] {
  return previewDemands.map((demand) => ({ demand, ...previewScale(scale, demand) }));
}

function preset(
  id: string,
  title: string,
  note: string,
  [minConcurrency = "", maxConcurrency = "", concurrencyBuffer = ""]: readonly string[],
): Preset {
  const texts = { minConcurrency, maxConcurrency, concurrencyBuffer, keepAliveMs: "60s" };
  return { id, title, note, texts };
}
