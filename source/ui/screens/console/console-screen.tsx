// The Console screen: deployments with their replicas, keys and logs, and the keys that act on them.

import { memo, type ReactElement } from "react";
import type { Clock } from "../../../base/clock.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import { fieldAfterText } from "../../editor/line-field.ts";
import { fieldCommands } from "../../frame/field-commands.ts";
import type { BodySize, BoundCommand, FrameServices, Screen } from "../../frame/screen.ts";
import { Store } from "../../hooks/store.ts";
import type { Glyphs } from "../../theme.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import { AppActions } from "./app-actions.ts";
import { ConsoleBody } from "./console-body.tsx";
import { type ConsoleActions, consoleCommands } from "./console-commands.ts";
import { ConsoleFeed } from "./console-feed.ts";
import { readerLines } from "./console-reader.tsx";
import { type ConsoleState, initialState } from "./console-state.ts";
import { KeyActions } from "./key-actions.ts";
import { LogBuffer } from "./log-buffer.ts";
import { PaneActions } from "./pane-actions.ts";

export interface ConsoleScreenOptions {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly chatWith: (server: CloudServer, app: AppDocument) => Promise<void>;
}

/** Ages are shown in seconds. */
const tickMs = 1000;

export class ConsoleScreen implements Screen {
  readonly id = "console";
  readonly title = "Console";
  readonly tabNumber = 5;
  readonly Body = memo(
    (size: BodySize): ReactElement => <ConsoleBody store={this.#store} log={this.#log} {...size} />,
  );
  readonly #store: Store<ConsoleState>;
  readonly #log = new LogBuffer();
  readonly #feed: ConsoleFeed;
  readonly #actions: ConsoleActions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor({ cloud, glyphs, clock, frame, chatWith }: ConsoleScreenOptions) {
    const server = cloud.server();
    const log = this.#log;
    const store = new Store(initialState(server.target));
    const now = () => clock.wallMs();
    const feed = new ConsoleFeed({ cloud, server, store, log, now });
    const context = { store, log, feed, frame, cloud, isAscii: glyphs.isAscii, now, chatWith };
    this.#store = store;
    this.#feed = feed;
    this.#now = now;
    this.#actions = {
      panes: new PaneActions(context),
      apps: new AppActions(context),
      keys: new KeyActions(context),
    };
  }

  commands(): readonly BoundCommand[] {
    return [
      ...consoleCommands(this.#actions, this.#store.get, this.#log),
      ...fieldCommands(
        () => this.isTyping(),
        (edit) => this.#actions.panes.editFilter(edit),
      ),
    ];
  }

  status(): string {
    const { link, status } = this.#store.get().cloud;
    if (link.kind === "connecting") return "control plane ◐";
    if (link.kind === "down") return "control plane ✗";
    return `control plane ● ${status === undefined ? "" : hostOf(status.baseUrl)}`;
  }

  isTyping(): boolean {
    return this.#store.get().field !== undefined;
  }

  type(text: string): void {
    this.#actions.panes.editFilter((field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  readerLines(): readonly string[] {
    return readerLines(this.#store.get(), this.#log, this.#now());
  }

  /** Selects a deployment. @param name `local/tiny` */
  accept(name: string): void {
    this.#actions.panes.selectApp(name);
  }

  subscribe(listener: () => void): () => void {
    const stops = [this.#store.subscribe(listener), this.#log.subscribe(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  activate(): void {
    this.#feed.start();
    this.#timer = setInterval(() => this.#store.update({}), tickMs);
  }

  deactivate(): void {
    clearInterval(this.#timer);
    this.#feed.stop();
  }

  async close(): Promise<void> {
    this.deactivate();
    this.#actions.apps.close();
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
