// The panes of the console: the component of each, and its selected row in words.

import type { ComponentType } from "react";
import { AppList } from "./app-list.tsx";
import type { PaneProps } from "./console-layout.ts";
import type { ConsoleState, Pane } from "./console-state.ts";
import { KeyList, spokenKey } from "./key-list.tsx";
import type { LogBuffer } from "./log-buffer.ts";
import { LogPane } from "./log-pane.tsx";
import { NodeList, spokenNode } from "./node-list.tsx";
import { ReplicaList, spokenReplica } from "./replica-list.tsx";

/** @param y the pane's first row in the body */
type PaneBody = ComponentType<PaneProps & { readonly log: LogBuffer; readonly y: number }>;

interface PaneView {
  readonly Body: PaneBody;
  /** Describes the selected row for screen readers; undefined in an empty list. */
  readonly spoken?: (state: ConsoleState) => string | undefined;
}

export const paneViews: Readonly<Record<Pane, PaneView>> = {
  apps: { Body: AppList },
  replicas: { Body: ReplicaList, spoken: spokenReplica },
  keys: { Body: KeyList, spoken: spokenKey },
  nodes: { Body: NodeList, spoken: spokenNode },
  logs: { Body: LogPane },
};
