// What a picture of the console is made from.

import type {
  AppDocument,
  EventDocument,
  KeyDocument,
  ReplicaDocument,
} from "../../../cloud/admin/documents.ts";
import type { StyledRow } from "../../frame/screen.ts";
import type { Glyphs } from "../../theme.ts";
import type { CloudTarget } from "../cloud-access.ts";
import type { AppFigures } from "./app-figures.ts";
import type { FeedLink } from "./console-feed.ts";
import type { ConsoleState } from "./console-state.ts";
import type { LogView } from "./log-view.ts";

export interface ConsoleFacts {
  readonly state: ConsoleState;
  readonly target: CloudTarget;
  readonly link: FeedLink;
  /** How old the figures are; undefined before there are any. */
  readonly ageMs: number | undefined;
  readonly organisation: string | undefined;
  /** Those that pass the filter, and how many there are. */
  readonly apps: readonly AppDocument[];
  readonly appCount: number;
  /** -1 for none. */
  readonly appIndex: number;
  readonly figuresOf: (name: string) => AppFigures;
  /** Of the selected app, as the next. */
  readonly replicas: readonly ReplicaDocument[];
  readonly replicaIndex: number;
  readonly events: readonly EventDocument[];
  readonly keys: readonly KeyDocument[];
  readonly keyIndex: number;
  readonly log: LogView;
  readonly detailsRows: readonly StyledRow[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly glyphs: Glyphs;
}
