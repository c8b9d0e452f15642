// The Server screen as lines for screen readers.

import type { ServerWatch } from "../../live/server-watch.ts";
import { plainText } from "../../panes/styled-row.ts";
import { neutraliseLine } from "../../text/neutralise.ts";
import { rate } from "../../text/quantities.ts";
import { asciiGlyphs } from "../../theme.ts";
import { requestColumns, requestRow } from "./request-columns.ts";
import type { RequestList } from "./request-list.ts";

const spokenWidth = 160;
/** Rows of the table that are read out. */
const spokenRequests = 20;

/**
 * The newest requests that have ended: a running one changes all the time.
 * @param now milliseconds since 1970
 */
export function spokenRequestLines({ shown }: RequestList, now: number): readonly string[] {
  const columns = requestColumns({ glyphs: asciiGlyphs, isRelative: false, now });
  return shown
    .filter(({ state }) => state === "done")
    .slice(-spokenRequests)
    .map((view) => plainText(requestRow(columns, view, spokenWidth, asciiGlyphs)).trim())
    .map((line) => line.replaceAll(/\s{2,}/g, " "));
}

/**
 * @param filter as it is typed, or in force
 * @param banner what is the matter with the server, if anything
 */
export function spokenServerFooter(
  { sample, url }: ServerWatch,
  { selected }: RequestList,
  filter: string,
  banner: string | undefined,
): readonly string[] {
  const lines = [`Server: ${banner === undefined ? url : neutraliseLine(banner, true)}`];
  if (sample !== undefined) {
    const { running, waiting, tokensPerSecond } = sample;
    lines.push(`${running} running, ${waiting} waiting, ${rate(tokensPerSecond)} tok/s`);
  }
  lines.push(`Filter: ${filter}`);
  if (selected !== undefined) {
    lines.push(`Selected: ${selected.id} ${selected.method} ${selected.path}`);
  }
  return lines;
}
