// State of the Server screen, and the context of its components and actions.

import type { Store } from "../../../base/store.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import type { Loadable } from "../../../client/live/loadable.ts";
import { keyOf } from "../../../client/live/request-feed.ts";
import type { ServerWatch, WatchedServer } from "../../../client/live/server-watch.ts";
import type { RequestTexts } from "../../../client/requests.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import type { ServerControl } from "../../app/server-access.ts";
import type { FilterField } from "../../components/list-state.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Readable } from "../../hooks/use-store.ts";
import {
  initialRequestList,
  type ListedRequests,
  type ReadFilter,
  type RequestListState,
} from "./request-list.ts";

export interface ServerState extends RequestListState {
  /** The filter, while it is typed. */
  readonly field: FilterField | undefined;
  /** Shows ages instead of the time of day. */
  readonly isRelative: boolean;
  /** The open request, as it was when opened, and its first visible row. */
  readonly opened: RequestRecord | undefined;
  readonly top: number;
  /** Wraps long lines of an open request instead of cutting them. */
  readonly isWrapped: boolean;
  /** The texts of the request that was read last. */
  readonly read: ReadRequest | undefined;
  /** Work in progress on the server of this program, such as `starting the server`. */
  readonly work: string | undefined;
  readonly startProblem: StartProblem | undefined;
}

export interface ReadRequest {
  /** From `keyOf`. */
  readonly key: string;
  /** State of the request when it was read; it is read again once it has ended. */
  readonly state: RequestRecord["state"];
  /** Prompt, answer and body as the server recorded them. */
  readonly texts: Loadable<RequestTexts>;
}

/** A failure to start the server, and the key that helps. */
export interface StartProblem {
  readonly sentence: string;
  readonly remedy: "next-port" | "make-key" | "none";
}

export const initialServerState: ServerState = {
  ...initialRequestList,
  field: undefined,
  isRelative: false,
  opened: undefined,
  top: 0,
  isWrapped: true,
  read: undefined,
  work: undefined,
  startProblem: undefined,
};

/** Returns the texts of a request, or that they are being read. */
export function textsOf(
  read: ReadRequest | undefined,
  view: RequestRecord,
): Loadable<RequestTexts> {
  return read?.key === keyOf(view) ? read.texts : { kind: "loading" };
}

/** The stores that the components read. */
export interface ServerSources {
  readonly store: Readable<ServerState>;
  /** The requests of the server's log, oldest first. */
  readonly feed: Readable<readonly RequestRecord[]>;
  readonly watch: Readable<WatchedServer>;
  /** Called for each drawing. */
  readonly host: () => HostedServer;
  /** Set by the table or the open request when it is drawn: limits how far keys scroll. */
  readonly extent: { current: Extent };
}

export interface Extent {
  /** Visible rows. */
  readonly rows: number;
  /** The last row that an open request scrolls to. */
  readonly lastTop: number;
}

export interface ServerContext extends ServerSources {
  readonly store: Store<ServerState>;
  readonly watch: ServerWatch;
  readonly state: ServerState;
  readonly listed: ListedRequests;
  /** The current server: it may change after a disconnect. */
  readonly client: () => ApiClient;
  readonly readTexts: (view: RequestRecord) => Promise<Loadable<RequestTexts>>;
  readonly readFilter: ReadFilter;
  /** Absent if another program hosts the server. */
  readonly control?: ServerControl;
  readonly frame: FrameServices;
  /** Aborts when the program ends. */
  readonly closing: AbortSignal;
}

/** The server, with its state if this program hosts it. */
export interface HostedServer {
  readonly url: string;
  /** Undefined if another program hosts it. */
  readonly state: "running" | "stopped" | "busy" | undefined;
  /** A sentence, where other machines can use the server without a key. */
  readonly warning: string | undefined;
}
