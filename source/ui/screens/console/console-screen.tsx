// The Console screen: deployments with their replicas, keys and logs, and the keys that act on them.

import { memo } from "react";
import { Store } from "../../../base/store.ts";
import type { CloudScreenServices } from "../../app/cloud-access.ts";
import { screenInput } from "../../frame/command-table.ts";
import type { BodySize, Screen } from "../../frame/screen.ts";
import { ConsoleBody } from "./console-body.tsx";
import { consoleCommands } from "./console-commands.ts";
import { ConsoleFeed } from "./console-feed.ts";
import { spokenConsole } from "./console-speech.ts";
import { initialState } from "./console-state.ts";
import { LogBuffer } from "./log-buffer.ts";
import { type ConsoleContext, editFilter, selectApp } from "./pane-actions.ts";

export function consoleScreen(services: CloudScreenServices): Screen {
  const { cloud, clock, frame } = services;
  const server = cloud.server();
  const log = new LogBuffer();
  const store = new Store(initialState(server.target));
  const now = () => clock.wallMs();
  const notify = (sentence: string) => frame.notify(sentence);
  const feed = new ConsoleFeed({ cloud, server, store, log, now, notify });
  const closing = new AbortController();
  const context: ConsoleContext = {
    ...services,
    store,
    get state() {
      return store.get();
    },
    log,
    feed,
    now,
    closing: closing.signal,
  };
  return {
    id: "console",
    title: "Console",
    Body: memo((size: BodySize) => <ConsoleBody store={store} log={log} {...size} />),
    ...screenInput(consoleCommands, context, {
      isTyping: () => store.get().field !== undefined,
      edit: (change) => editFilter(context, change),
    }),
    status: () => {
      const { link, status } = store.get().cloud;
      if (link.kind === "connecting") return "control plane ◐";
      if (link.kind === "down") return "control plane ✗";
      return `control plane ● ${status === undefined ? "" : hostOf(status.baseUrl)}`;
    },
    spoken: () => spokenConsole(store.get(), log, now()),
    /** Selects a deployment, such as `local/tiny`. */
    accept: (name) => selectApp(context, name),
    subscribe: (listener) => {
      for (const source of [store, log]) source.subscribe(listener);
    },
    activate: () => feed.start(),
    deactivate: () => feed.stop(),
    close: async () => {
      feed.stop();
      closing.abort();
    },
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
