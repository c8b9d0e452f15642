// The table of API keys, and the token of a new key.

import type { ReactElement } from "react";
import type { KeyDocument } from "../../../cloud/admin/documents.ts";
import { TextLine } from "../../components/line.tsx";
import { ListPane } from "../../components/list-pane.tsx";
import { Panel, panelInnerWidth } from "../../components/panel.tsx";
import { type Column, spokenRow } from "../../components/table.tsx";
import type { TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import { newKeyHeight, type PaneProps } from "./console-layout.ts";
import { type ConsoleState, isOutdated, selectedKey, selectedRow } from "./console-state.ts";
import { keyName, lastUse, shortAge } from "./console-texts.ts";

export function KeyList({ state, width, height, now }: PaneProps): ReactElement {
  const { cloud, pane } = state;
  const { keys } = cloud;
  const isFocused = pane === "keys";
  return (
    <ListPane
      title="API keys"
      footer={keys.length > 0 ? String(keys.length) : ""}
      isFocused={isFocused}
      width={width}
      height={height}
      columns={keyColumns(now)}
      items={keys}
      keyOf={({ id }) => id}
      selected={isFocused ? selectedRow(state, "keys") : -1}
      isDim={isOutdated(cloud, now)}
      empty="No API keys yet. n creates one."
    />
  );
}

export function spokenKey(state: ConsoleState): string | undefined {
  const key = selectedKey(state);
  // No column with a time is spoken.
  return key && `Key: ${spokenRow(keyColumns(0), key)}`;
}

function keyColumns(now: number): readonly Column<KeyDocument>[] {
  const text = (value: string): TextRun => ({ text: value, tone: "plain" });
  return [
    {
      title: "NAME",
      width: 10,
      isFlexible: true,
      cell: (key) => text(keyName(key)),
      spoken: (name) => name,
    },
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
      cell: (key) => keyStateRun(key, now),
      spoken: (_, { state }) => state,
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

/** Shows when a key expires, such as after a rotation. */
function keyStateRun({ state, expiresAt }: KeyDocument, now: number): TextRun {
  if (state !== "active") return { text: `${glyphs.stopped} ${state}`, tone: "dim" };
  if (expiresAt === undefined) return { text: `${glyphs.ready} active`, tone: "plain" };
  return { text: `${glyphs.ready} ${shortAge(expiresAt - now)} left`, tone: "plain" };
}

type NewKeyProps = NonNullable<ConsoleState["made"]> & { readonly width: number };

/** A new token, shown only once. */
export function NewKey({ document, isCopied, width }: NewKeyProps): ReactElement {
  const { key, token } = document;
  const inner = panelInnerWidth(width);
  const hints = ["Authorization: Key TOKEN", isCopied ? "copied" : "y copies it", "Enter closes"];
  return (
    <Panel
      width={width}
      height={newKeyHeight}
      title={`New key ${key.description ?? key.id}`}
      isFocused
    >
      <TextLine text={token} tone="value" width={inner} />
      <TextLine text={hints.join(` ${glyphs.separator} `)} tone="dim" width={inner} />
      <TextLine
        text="It is shown only once: the server does not store the token."
        tone="dim"
        width={inner}
      />
    </Panel>
  );
}
