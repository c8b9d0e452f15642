// The downloads below the list: how far each is, how fast it goes, and how long it takes.

import { formatBytes } from "../../../base/byte-format.ts";
import type { StyledRow } from "../../frame/screen.ts";
import { foreignSpan, textRow } from "../../panes/styled-row.ts";
import { textWidth } from "../../text/graphemes.ts";
import type { Glyphs } from "../../theme.ts";
import { barText } from "./bar-text.ts";
import { type Download, fractionOf, remainingMs, speedOf } from "./download.ts";
import { formatRemaining } from "./model-figures.ts";
import { shortName } from "./model-name.ts";

export interface DownloadLook {
  readonly width: number;
  readonly glyphs: Glyphs;
  /** On the clock of the samples. */
  readonly nowMs: number;
}

const rowsOfOne = 2;

/** Heading and two rows for each, at most `height` rows; none for no download. */
export function downloadRows(
  downloads: readonly Download[],
  height: number,
  look: DownloadLook,
): readonly StyledRow[] {
  const open = downloads.filter(({ state }) => state !== "done");
  if (open.length === 0 || height < 1 + rowsOfOne) return [];
  const room = Math.floor((height - 1) / rowsOfOne);
  const shown = open.slice(0, room);
  const more = open.length - shown.length;
  const heading = more > 0 ? `Downloads (${more} more)` : "Downloads";
  return [textRow(heading, "title"), ...shown.flatMap((download) => rowsOf(download, look))];
}

function rowsOf(download: Download, look: DownloadLook): StyledRow[] {
  const { glyphs, width } = look;
  const fraction = fractionOf(download);
  const figures =
    fraction === undefined
      ? ""
      : `${Math.floor(fraction * 100)}%  ${formatBytes(download.completedBytes)} of ${formatBytes(download.totalBytes ?? 0)}`;
  const nameWidth = Math.max(8, Math.min(28, Math.floor(width * 0.35)));
  const name = shortName(download.name, nameWidth, glyphs.ellipsis).padEnd(nameWidth);
  const barWidth = Math.max(0, width - nameWidth - 2 - textWidth(figures) - 2);
  const bar = fraction === undefined || barWidth < 4 ? "" : barText(fraction, barWidth, glyphs);
  return [
    [
      foreignSpan(name, "plain", glyphs.isAscii),
      { text: "  ", tone: "plain" },
      { text: bar, tone: download.state === "failed" ? "error" : "mark" },
      { text: bar === "" ? figures : `  ${figures}`, tone: "plain" },
    ],
    [
      { text: " ".repeat(nameWidth + 2), tone: "plain" },
      foreignSpan(stateText(download, look), toneOf(download), glyphs.isAscii),
    ],
  ];
}

function toneOf({ state }: Download) {
  return state === "failed" ? "error" : "dim";
}

function stateText(download: Download, { glyphs, nowMs }: DownloadLook): string {
  switch (download.state) {
    case "failed":
      return `${glyphs.failed} ${download.error ?? "failed"} ${glyphs.separator} r retry`;
    case "paused":
      return "paused, what is here is kept; Space goes on, x takes it off the list";
    case "verifying":
      return "sha256 is being checked";
    case "done":
      return "done";
    case "running": {
      if (download.status !== "") return download.status;
      const speed = speedOf(download, nowMs);
      const left = remainingMs(download, nowMs);
      const parts = [
        speed === undefined ? "" : `${formatBytes(speed)}/s`,
        left === undefined ? "" : `${formatRemaining(left)} left`,
        "sha256 pending",
      ];
      return parts.filter((part) => part !== "").join(` ${glyphs.separator} `);
    }
  }
}
