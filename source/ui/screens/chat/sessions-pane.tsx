// Pane below the live figures: saved chats, and the settings of this one.

import { memo, type ReactElement } from "react";
import { textWidth } from "../../../base/graphemes.ts";
import { roughSpan } from "../../../base/quantities.ts";
import type { ChatSettings } from "../../../chat/chat-backend.ts";
import type { SessionHead } from "../../../chat/sessions/session.ts";
import { TextLine } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { Text } from "../../components/text.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { cutText } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";

export interface SessionsPaneProps {
  /** The last used first. */
  readonly saved: readonly SessionHead[];
  readonly current: SessionHead | undefined;
  readonly settings: ChatSettings;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly columns: number;
  /** Maximum number of rows, borders included. */
  readonly rows: number;
}

const rowsMinimum = 3;
const borderRows = 2;

/** Draws nothing without saved chats and settings, or without room. */
export const SessionsPane = memo(function SessionsPane(
  props: SessionsPaneProps,
): ReactElement | null {
  const { saved, current, now, columns, rows } = props;
  const settings = settingsTexts(props.settings);
  const room = panelInnerHeight(rows) - (settings.length === 0 ? 0 : settings.length + 1);
  const shown = saved.slice(0, Math.max(0, room));
  const gap = shown.length > 0 && settings.length > 0 ? 1 : 0;
  const contentRows = shown.length + gap + settings.length;
  if (contentRows === 0 || rows < rowsMinimum) return null;
  const width = panelInnerWidth(columns);
  return (
    <Panel
      width={columns}
      height={Math.min(rows, contentRows + borderRows)}
      title="Chats"
      footer="Alt+S"
    >
      {shown.map((head) => (
        <SessionRow
          key={head.id}
          // It may have been named since the list was read.
          name={head.id === current?.id ? current.name : head.name}
          age={shortAge(now - head.updatedAtMs)}
          isCurrent={head.id === current?.id}
          width={width}
        />
      ))}
      {gap > 0 && <Text> </Text>}
      {settings.map((text) => (
        <TextLine key={text} text={text} tone="dim" width={width} />
      ))}
    </Panel>
  );
});

interface SessionRowProps {
  readonly name: string;
  readonly age: string;
  readonly isCurrent: boolean;
  readonly width: number;
}

function SessionRow({ name, age, isCurrent, width }: SessionRowProps): ReactElement {
  const { theme } = useLook();
  const marker = isCurrent ? `${glyphs.marker} ` : "  ";
  const room = Math.max(0, width - textWidth(marker) - textWidth(age) - 1);
  const title = cutText(name, room);
  return (
    <Text wrap="truncate">
      <Text {...theme.focus}>{marker}</Text>
      <Text {...theme[isCurrent ? "selected" : "plain"]}>{title}</Text>
      {" ".repeat(room + 1 - textWidth(title))}
      <Text {...theme.dim}>{age}</Text>
    </Text>
  );
}

/** `now`, `2 min`, `3 h`, `5 d`. */
export function shortAge(milliseconds: number): string {
  return milliseconds < 60_000 ? "now" : roughSpan(milliseconds);
}

function settingsTexts({ system, parameters, think, format }: ChatSettings): string[] {
  const texts = Object.entries(parameters).map(
    ([name, value]) => `${name} ${typeof value === "object" ? value.join(" ") : value}`,
  );
  if (think !== undefined) texts.push(`think ${think}`);
  if (format !== undefined) texts.push("format json");
  if (system !== undefined) texts.push(`system ${system.replaceAll("\n", " ")}`);
  return texts;
}
