// The table of API keys, and the token of a key that was just made.

import type { ReactElement } from "react";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { fitColumns, markerWidth, Table } from "../../components/table.tsx";
import { TextLine } from "../../components/text-line.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { foreignText } from "../../text/text-run.ts";
import { type PaneProps, visibleFrom } from "./console-layout.ts";
import { type ConsoleState, isOutdated, selectedKey } from "./console-state.ts";
import { keyColumns } from "./table-columns.ts";

export function KeyList({ state, width, height, now }: PaneProps): ReactElement {
  const { glyphs } = useLook();
  const { cloud, pane } = state;
  const { keys } = cloud;
  const selected = pane === "keys" ? selectedKey(state) : undefined;
  const room = Math.max(0, panelInnerHeight(height) - 1);
  const index = selected === undefined ? -1 : keys.indexOf(selected);
  const top = visibleFrom(index, keys.length, room);
  const inner = panelInnerWidth(width);
  const fitted = fitColumns(keyColumns(glyphs, now), inner - markerWidth);
  return (
    <Panel
      width={width}
      height={height}
      title="API keys"
      footer={keys.length > 0 ? String(keys.length) : ""}
      isFocused={pane === "keys"}
    >
      <Table
        columns={fitted}
        items={keys.slice(top, top + room)}
        keyOf={({ id }) => id}
        isSelected={(key) => key === selected}
        isDim={isOutdated(cloud, now)}
      />
      {keys.length === 0 && (
        <TextLine text="  There is no key yet. n makes one." tone="dim" width={inner} />
      )}
    </Panel>
  );
}

export interface NewKeyProps extends NonNullable<ConsoleState["made"]> {
  readonly width: number;
  readonly height: number;
}

/** A token is shown this once: nobody can look it up again. */
export function NewKey({ document, isCopied, width, height }: NewKeyProps): ReactElement {
  const { separator, isAscii } = useLook().glyphs;
  const { key, token } = document;
  const inner = panelInnerWidth(width);
  const hints = [
    "Authorization: Key TOKEN",
    isCopied ? "copied" : "y copies it",
    "Enter closes this",
  ];
  return (
    <Panel
      width={width}
      height={height}
      title={foreignText(`New key ${key.description ?? key.id}`, isAscii)}
      isFocused
    >
      <TextLine text={token} tone="value" width={inner} />
      <TextLine text={hints.join(` ${separator} `)} tone="dim" width={inner} />
      <TextLine
        text="It is shown this once: the server keeps no token, and nobody can show it again."
        tone="dim"
        width={inner}
      />
    </Panel>
  );
}
