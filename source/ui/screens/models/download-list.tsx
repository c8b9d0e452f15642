// The downloads below the list: progress, speed, and time left.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { formatBytes } from "../../../base/byte-format.ts";
import type { Paragraph } from "../../components/paragraph.tsx";
import { ProgressBar } from "../../components/progress-bar.tsx";
import { useNow } from "../../hooks/use-clock.ts";
import { useLook } from "../../hooks/use-look.ts";
import { textWidth, truncateText } from "../../text/graphemes.ts";
import { joinParts } from "../../text/join-parts.ts";
import { span } from "../../text/quantities.ts";
import { fitText, foreignText } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import { type Download, fractionOf, remainingMs, speedOf } from "./download.ts";
import { shortName } from "./model-name.ts";

const headingRows = 1;
const rowsEach = 2;
const gap = "  ";
const barWidthMinimum = 4;

/** Rows of the list, at most `maximum`; 0 without a download, or without room for one. */
export function downloadListHeight(downloads: readonly Download[], maximum: number): number {
  const room = Math.floor((maximum - headingRows) / rowsEach);
  const count = Math.min(openDownloads(downloads).length, Math.max(0, room));
  return count === 0 ? 0 : headingRows + count * rowsEach;
}

export interface DownloadListProps {
  readonly downloads: readonly Download[];
  readonly width: number;
  readonly heightMaximum: number;
}

export function DownloadList(props: DownloadListProps): ReactElement | null {
  const { downloads, width, heightMaximum } = props;
  const { theme } = useLook();
  const height = downloadListHeight(downloads, heightMaximum);
  if (height === 0) return null;
  const open = openDownloads(downloads);
  const shown = open.slice(0, (height - headingRows) / rowsEach);
  const more = open.length - shown.length;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text {...theme.title}>{more > 0 ? `Downloads (${more} more)` : "Downloads"}</Text>
      {shown.map((download) => (
        <DownloadItem key={download.name} download={download} width={width} />
      ))}
    </Box>
  );
}

/** The full reason of a failed download, for a card; undefined for other downloads. */
export function downloadFailure(
  download: Download | undefined,
  paragraph: Paragraph,
  glyphs: Glyphs,
): ReactElement | undefined {
  if (download?.state !== "failed") return undefined;
  return (
    <>
      {paragraph(`${glyphs.failed} ${download.error ?? "Download failed."}`, "error")}
      {paragraph("Press r to resume, or x to remove it from the list.", "dim")}
      <Text> </Text>
    </>
  );
}

function openDownloads(downloads: readonly Download[]): readonly Download[] {
  return downloads.filter(({ state }) => state !== "done");
}

/** Name, bar and bytes in one row, the state below them. */
function DownloadItem({ download, width }: { download: Download; width: number }): ReactElement {
  const { glyphs, theme } = useLook();
  const nowMs = useNow();
  const { ellipsis, isAscii } = glyphs;
  const isFailed = download.state === "failed";
  const fraction = fractionOf(download);
  const figures = fraction === undefined ? "" : figuresOf(download, fraction);
  const nameWidth = Math.max(8, Math.min(28, Math.floor(width * 0.35)));
  const name = foreignText(shortName(download.name, nameWidth, ellipsis), isAscii);
  const left = nameWidth + gap.length;
  const barWidth = width - left - gap.length - textWidth(figures);
  const state = foreignText(stateText(download, glyphs, nowMs), isAscii);
  return (
    <>
      <Text wrap="truncate">
        {fitText(name, nameWidth, ellipsis) + gap}
        {fraction !== undefined && barWidth >= barWidthMinimum && (
          <>
            <ProgressBar fraction={fraction} width={barWidth} tone={isFailed ? "error" : "plain"} />
            {gap}
          </>
        )}
        {figures}
      </Text>
      <Text {...theme[isFailed ? "error" : "dim"]} wrap="truncate">
        {" ".repeat(left) + truncateText(state, width - left, ellipsis)}
      </Text>
    </>
  );
}

/** `43%  430 MB of 1 GB`. */
function figuresOf({ completedBytes, totalBytes = 0 }: Download, fraction: number): string {
  const percent = Math.floor(fraction * 100);
  return `${percent}%  ${formatBytes(completedBytes)} of ${formatBytes(totalBytes)}`;
}

function stateText(download: Download, { failed, separator }: Glyphs, nowMs: number): string {
  switch (download.state) {
    case "failed":
      return `${failed} ${download.error ?? "failed"} ${separator} r retry`;
    case "paused":
      return `paused ${separator} Space resume ${separator} x cancel`;
    case "verifying":
      return "verifying sha256";
    case "done":
      return "done";
    case "running": {
      if (download.status !== "") return download.status;
      const speed = speedOf(download, nowMs);
      const leftMs = remainingMs(download, nowMs);
      const parts = [
        speed !== undefined && `${formatBytes(speed)}/s`,
        leftMs !== undefined && `${span(Math.ceil(leftMs / 1000) * 1000)} left`,
        "sha256 pending",
      ];
      return joinParts(parts, ` ${separator} `);
    }
  }
}
