// The columns of the table of keys.

import { toOneLine } from "../../../base/seen-text.ts";
import type { KeyDocument } from "../../../cloud/admin/documents.ts";
import type { Span } from "../../frame/screen.ts";
import { foreignSpan } from "../../panes/styled-row.ts";
import type { Column } from "../../panes/table.ts";
import type { Glyphs } from "../../theme.ts";
import { shortAge } from "./app-columns.ts";

/** @param now milliseconds since 1970 */
export function keyColumns(glyphs: Glyphs, now: number): readonly Column<KeyDocument>[] {
  const text = (value: string) => foreignSpan(value, "plain", glyphs.isAscii);
  return [
    { title: "NAME", width: 10, isFlexible: true, cell: (key) => text(keyName(key)) },
    {
      title: "KEY",
      width: 6,
      rank: 2,
      cell: ({ id }) => text(`${glyphs.ellipsis}${id.slice(-3)}`),
    },
    { title: "SCOPE", width: 8, rank: 1, cell: ({ scope }) => text(scope) },
    { title: "APPS", width: 10, rank: 3, cell: ({ apps }) => text(apps.join(",") || "all") },
    {
      title: "STATE",
      width: 10,
      cell: (key) => stateCell(key, glyphs, now),
    },
    { title: "USED", width: 5, align: "right", rank: 1, cell: (key) => text(lastUse(key, now)) },
    {
      title: "LIMIT",
      width: 6,
      align: "right",
      rank: 4,
      cell: ({ requestsPerMinute: limit }) => text(limit === undefined ? "none" : `${limit}/m`),
    },
  ];
}

/** One that expires, after a rotation say, tells when. */
function stateCell({ state, expiresAt }: KeyDocument, glyphs: Glyphs, now: number): Span {
  if (state !== "active") return { text: `${glyphs.stopped} ${state}`, tone: "dim" };
  if (expiresAt === undefined) return { text: `${glyphs.ready} active`, tone: "good" };
  return { text: `${glyphs.ready} ${shortAge(expiresAt - now)} left`, tone: "warning" };
}

/** What it was made for; its id where nobody said. */
export function keyName({ description, id }: KeyDocument): string {
  return description === undefined || description === "" ? id : toOneLine(description);
}

/** It is kept to the minute, which may begin before the key does. */
export function lastUse({ lastUsedAt, createdAt }: KeyDocument, now: number): string {
  return lastUsedAt === undefined ? "never" : shortAge(now - Math.max(lastUsedAt, createdAt));
}
