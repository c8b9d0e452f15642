// The downloads below the list: progress, speed, and time left.

import { Box } from "ink";
import type { ReactElement } from "react";
import { formatBytes } from "../../../base/formats.ts";
import { textWidth } from "../../../base/graphemes.ts";
import { span } from "../../../base/quantities.ts";
import { type Download, fractionOf, remainingMs, speedOf } from "../../../client/download.ts";
import { ProgressBar } from "../../components/bars.tsx";
import { Line, Lines, type Paragraph } from "../../components/line.tsx";
import { Text } from "../../components/text.tsx";
import { useNow } from "../../hooks/use-look.ts";
import { cutText, fitText, wrapText } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import { shortName } from "./model-name.ts";

const headingRows = 1;
/** Rows of the reason for a failure, at most. */
const failureRowsMaximum = 3;
const gap = "  ";
const barWidthMinimum = 4;

export interface DownloadRoom {
  readonly width: number;
  readonly heightMaximum: number;
}

/** Returns the rows of the list; 0 without a download, or without room for one. */
export function downloadListHeight(downloads: readonly Download[], room: DownloadRoom): number {
  const shown = shownDownloads(downloads, room);
  const rows = shown.reduce((sum, download) => sum + itemRows(download, room.width), 0);
  return rows === 0 ? 0 : headingRows + rows;
}

export interface DownloadListProps extends DownloadRoom {
  readonly downloads: readonly Download[];
}

export function DownloadList({ downloads, ...room }: DownloadListProps): ReactElement | null {
  const shown = shownDownloads(downloads, room);
  if (shown.length === 0) return null;
  const more = openDownloads(downloads).length - shown.length;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Line runs={[{ text: more > 0 ? `Downloads (${more} more)` : "Downloads", tone: "title" }]} />
      {shown.map((download) => (
        <DownloadItem key={download.name} download={download} width={room.width} />
      ))}
    </Box>
  );
}

/** Returns the first downloads that fit. */
function shownDownloads(
  downloads: readonly Download[],
  { width, heightMaximum }: DownloadRoom,
): readonly Download[] {
  let left = heightMaximum - headingRows;
  const open = openDownloads(downloads);
  const firstHidden = open.findIndex((download) => {
    left -= itemRows(download, width);
    return left < 0;
  });
  return firstHidden === -1 ? open : open.slice(0, firstHidden);
}

/** Returns the rows of a download: name and bytes, with the state below. */
function itemRows(download: Download, width: number): number {
  return 1 + (download.state === "failed" ? failureRows(download, width).length : 1);
}

/** Wraps the reason of a failure, which no card shows beside this list. */
function failureRows({ error }: Download, width: number): readonly string[] {
  const text = `${glyphs.failed} ${error ?? "failed"} ${glyphs.separator} r retry`;
  const rows = wrapText(text, width).map((row) => row.text);
  if (rows.length <= failureRowsMaximum) return rows;
  const last = rows.slice(failureRowsMaximum - 1).join("");
  return [...rows.slice(0, failureRowsMaximum - 1), cutText(last, width)];
}

/** Draws why a download failed, for a card; undefined for other downloads. */
export function downloadFailure(
  download: Download | undefined,
  paragraph: Paragraph,
): ReactElement | undefined {
  if (download?.state !== "failed") return undefined;
  return (
    <>
      {paragraph(`${glyphs.failed} ${download.error ?? "Download failed."}`, "error")}
      {paragraph("Press r to resume, or x to remove it from the list.", "dim")}
      <Line runs={[]} />
    </>
  );
}

function openDownloads(downloads: readonly Download[]): readonly Download[] {
  return downloads.filter(({ state }) => state !== "done");
}

/** Name, bar and bytes in one row, the state below them. */
function DownloadItem({ download, width }: { download: Download; width: number }): ReactElement {
  const nowMs = useNow();
  const isFailed = download.state === "failed";
  const fraction = fractionOf(download);
  const figures = fraction === undefined ? "" : figuresOf(download, fraction);
  const nameWidth = Math.max(8, Math.min(28, Math.floor(width * 0.35)));
  const name = shortName(download.name, nameWidth, glyphs.ellipsis);
  const left = nameWidth + gap.length;
  const barWidth = width - left - gap.length - textWidth(figures);
  return (
    <>
      <Text wrap="truncate">
        {fitText(name, nameWidth) + gap}
        {fraction !== undefined && barWidth >= barWidthMinimum && (
          <>
            <ProgressBar fraction={fraction} width={barWidth} tone={isFailed ? "error" : "plain"} />
            {gap}
          </>
        )}
        {figures}
      </Text>
      {isFailed ? (
        <Lines rows={failureRows(download, width).map((text) => [{ text, tone: "error" }])} />
      ) : (
        <Line
          runs={[
            { text: " ".repeat(left) + stateText(download, width - left, nowMs), tone: "dim" },
          ]}
        />
      )}
    </>
  );
}

/** `43%  430 MB of 1 GB`. */
function figuresOf({ completedBytes, totalBytes = 0 }: Download, fraction: number): string {
  const percent = Math.floor(fraction * 100);
  return `${percent}%  ${formatBytes(completedBytes)} of ${formatBytes(totalBytes)}`;
}

function stateText(download: Download, width: number, nowMs: number): string {
  const separator = ` ${glyphs.separator} `;
  const parts = [...stateParts(download, nowMs)];
  // Drops the least important part first.
  while (parts.length > 1 && textWidth(parts.join(separator)) > width) parts.pop();
  return cutText(parts.join(separator), width);
}

function stateParts(download: Download, nowMs: number): readonly string[] {
  const { state, status } = download;
  if (state === "paused") return ["paused", "Space resume", "x cancel"];
  if (state === "verifying") return ["verifying sha256"];
  if (state !== "running") return [state];
  if (status !== "") return [status];
  const speed = speedOf(download, nowMs);
  const leftMs = remainingMs(download, nowMs);
  return [
    ...(speed === undefined ? [] : [`${formatBytes(speed)}/s`]),
    ...(leftMs === undefined ? [] : [`${span(Math.ceil(leftMs / 1000) * 1000)} left`]),
    "sha256 pending",
  ];
}
