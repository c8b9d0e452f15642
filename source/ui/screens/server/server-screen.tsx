// The Server screen: live figures, the request log, and control of the server.

import { memo } from "react";
import { rate, span } from "../../../base/quantities.ts";
import { Store } from "../../../base/store.ts";
import { load } from "../../../client/live/loadable.ts";
import type { RequestFeed } from "../../../client/live/request-feed.ts";
import { requestTexts } from "../../../client/requests.ts";
import { screenInput } from "../../frame/command-table.ts";
import type { BodySize, Screen } from "../../frame/screen.ts";
import { editField, refresh } from "./browse-actions.ts";
import { listRequests } from "./request-list.ts";
import { ServerBody } from "./server-body.tsx";
import { serverCommands } from "./server-commands.ts";
import { hostedServer } from "./server-control.ts";
import { spokenServer } from "./server-speech.ts";
import { initialServerState, type ServerContext } from "./server-state.ts";

export interface ServerScreenOptions
  extends Pick<ServerContext, "client" | "control" | "frame" | "readFilter" | "watch"> {
  readonly feed: RequestFeed;
}

export function serverScreen(options: ServerScreenOptions): Screen {
  const { feed, watch, client } = options;
  const store = new Store(initialServerState);
  const closing = new AbortController();
  const context: ServerContext = {
    ...options,
    store,
    extent: { current: { rows: 1, lastTop: 0 } },
    closing: closing.signal,
    host: () => hostedServer(context),
    readTexts: ({ id }) => load(() => requestTexts(client(), id)),
    get state() {
      return store.get();
    },
    get listed() {
      return listRequests(store.get(), feed.get());
    },
  };
  feed.subscribe(() => refresh(context));
  return {
    id: "server",
    title: "Server",
    Body: memo((size: BodySize) => <ServerBody sources={context} {...size} />),
    ...screenInput(serverCommands, context, {
      isTyping: () => store.get().field !== undefined,
      edit: (change) => editField(context, change),
    }),
    status: () => {
      const { sample, isDown } = watch;
      if (sample === undefined || isDown) return "";
      return `up ${span(sample.uptimeMs)}  ${rate(sample.tokensPerSecond)} tok/s`;
    },
    spoken: () => spokenServer(context),
    subscribe: (listener) => {
      for (const source of [store, watch, feed]) source.subscribe(listener);
    },
    activate: () => {
      watch.start();
      feed.start();
    },
    deactivate: () => feed.stop(),
    close: async () => {
      feed.stop();
      closing.abort();
    },
  };
}
