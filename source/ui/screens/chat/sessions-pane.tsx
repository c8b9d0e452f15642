// The pane below the live figures: saved chats, and what is set in this one.

import type { SessionHead } from "../../../sessions/session.ts";
import type { BodySize, StyledRow } from "../../frame/screen.ts";
import { drawBox, innerHeight, innerWidth } from "../../panes/box.ts";
import { fitRow, foreignSpan } from "../../panes/styled-row.ts";
import { textWidth, truncateText } from "../../text/graphemes.ts";
import type { Glyphs } from "../../theme.ts";
import type { ChatSettings } from "./chat-settings.ts";

export interface SessionsPaneFacts {
  /** The last used first. */
  readonly saved: readonly SessionHead[];
  /** The id of the chat that goes on here. */
  readonly current: string | undefined;
  readonly settings: ChatSettings;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

const rowsMinimum = 3;

/** No rows where nothing is saved and nothing set, or where there is no room. */
export function sessionsPane(
  facts: SessionsPaneFacts,
  size: BodySize,
  glyphs: Glyphs,
): readonly StyledRow[] {
  const width = innerWidth(size.columns);
  const settings = settingsRows(facts.settings, width, glyphs);
  const gap = settings.length === 0 ? 0 : settings.length + 1;
  const room = innerHeight(size.rows) - gap;
  const sessions = facts.saved
    .slice(0, Math.max(0, room))
    .map((head) => sessionRow(head, facts, width, glyphs));
  if (sessions.length === 0 && settings.length === 0) return [];
  if (size.rows < rowsMinimum) return [];
  const content = [
    ...sessions,
    ...(settings.length > 0 && sessions.length > 0 ? [[]] : []),
    ...settings,
  ];
  const height = Math.min(size.rows, content.length + 2);
  return drawBox(content, { width: size.columns, height, glyphs, title: "Chats", footer: "Alt+S" });
}

function sessionRow(
  { id, name, updatedAtMs }: SessionHead,
  { current, nowMs }: SessionsPaneFacts,
  width: number,
  glyphs: Glyphs,
): StyledRow {
  const isCurrent = id === current;
  const age = shortAge(nowMs - updatedAtMs);
  const marker = isCurrent ? `${glyphs.marker} ` : "  ";
  const room = Math.max(0, width - textWidth(marker) - textWidth(age) - 1);
  const title = foreignSpan(name, isCurrent ? "selected" : "plain", glyphs.isAscii);
  const cut = { ...title, text: truncateText(title.text, room, glyphs.ellipsis) };
  return [
    { text: marker, tone: "focus" },
    ...fitRow([cut], room + 1, glyphs.ellipsis),
    { text: age, tone: "dim" },
  ];
}

/** `now`, `2 min`, `3 h`, `5 d`. */
export function shortAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

function settingsRows(
  { system, parameters, think, format }: ChatSettings,
  width: number,
  glyphs: Glyphs,
): StyledRow[] {
  const parts = Object.entries(parameters).map(
    ([name, value]) => `${name} ${typeof value === "object" ? value.join(" ") : value}`,
  );
  if (think !== undefined) parts.push(`think ${think}`);
  if (format !== undefined) parts.push("format json");
  if (system !== undefined) parts.push(`system ${system.replaceAll("\n", " ")}`);
  return parts.map((part) => {
    const span = foreignSpan(part, "dim", glyphs.isAscii);
    return [{ ...span, text: truncateText(span.text, width, glyphs.ellipsis) }];
  });
}
