// The Server screen: live figures, the request log, and control of the server.

import { type ComponentType, memo } from "react";
import type { ApiClient } from "../../../client/api-client.ts";
import { fieldAfterText } from "../../editor/line-field.ts";
import { fieldCommands } from "../../frame/field-commands.ts";
import type { BodySize, BoundCommand, FrameServices, Screen } from "../../frame/screen.ts";
import { Store } from "../../hooks/store.ts";
import type { RequestFeed } from "../../live/request-feed.ts";
import type { ServerWatch } from "../../live/server-watch.ts";
import { rate, span } from "../../text/quantities.ts";
import { asciiGlyphs, type Glyphs } from "../../theme.ts";
import { BrowseActions } from "./browse-actions.ts";
import { RequestActions, readTexts } from "./request-actions.ts";
import { requestSentence } from "./request-columns.ts";
import { currentRequest, type ReadFilter } from "./request-list.ts";
import { requestText } from "./request-text.ts";
import { bannerOf, bannerRows } from "./server-banner.ts";
import { ServerBody } from "./server-body.tsx";
import { serverCommands } from "./server-commands.ts";
import { ServerActions, type ServerControl } from "./server-control.ts";
import { initialServerState, type ServerState, textsOf } from "./server-state.ts";

export interface ServerScreenOptions {
  readonly watch: ServerWatch;
  readonly feed: RequestFeed;
  readonly client: () => ApiClient;
  readonly readFilter: ReadFilter;
  /** Undefined where another program hosts the server. */
  readonly control: ServerControl | undefined;
  readonly glyphs: Glyphs;
  readonly frame: FrameServices;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Requests that are read out to screen readers. */
const readRequests = 20;

export class ServerScreen implements Screen {
  readonly id = "server";
  readonly title = "Server";
  readonly Body: ComponentType<BodySize>;
  readonly #options: ServerScreenOptions;
  readonly #store = new Store<ServerState>(initialServerState);
  readonly #browse: BrowseActions;
  readonly #requests: RequestActions;
  readonly #server: ServerActions;
  readonly #listeners = new Set<() => void>();
  #leave: (() => void)[] = [];

  constructor(options: ServerScreenOptions) {
    const { feed, watch } = options;
    const store = this.#store;
    this.#options = options;
    this.#browse = new BrowseActions({
      ...options,
      store,
      readTexts: (view) => readTexts(options.client(), view),
      bannerRows: () => this.#bannerRows(),
    });
    this.#requests = new RequestActions(options);
    this.#server = new ServerActions({ ...options, store });
    const sources = { store, feed, watch, host: () => this.#server.host };
    this.Body = memo(function ServerScreenBody(size: BodySize) {
      return <ServerBody sources={sources} {...size} />;
    });
    store.subscribe(() => this.#tell());
  }

  commands(): readonly BoundCommand[] {
    return [
      ...serverCommands({
        state: this.#store.get(),
        listed: this.#browse.listed,
        host: this.#server.host,
        browse: this.#browse,
        requests: this.#requests,
        server: this.#server,
      }),
      ...fieldCommands(
        () => this.isTyping(),
        (edit) => this.#browse.editField(edit),
      ),
    ];
  }

  status(): string {
    const { sample, staleMs } = this.#options.watch;
    if (sample === undefined || staleMs !== undefined) return "";
    return `up ${span(sample.uptimeMs)}  ${rate(sample.tokensPerSecond)} tok/s`;
  }

  isTyping(): boolean {
    return this.#store.get().field !== undefined;
  }

  type(text: string): void {
    this.#browse.editField((field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  /** The open request, or the newest ones that have ended: a running one changes all the time. */
  readerLines(): readonly string[] {
    const { opened, read } = this.#store.get();
    if (opened !== undefined) {
      const view = currentRequest(this.#options.feed.get(), opened);
      return requestText(view, textsOf(read, view), asciiGlyphs).split("\n");
    }
    return this.#browse.listed.shown
      .filter(({ state }) => state === "done")
      .slice(-readRequests)
      .map(requestSentence);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  activate(): void {
    const { watch, feed } = this.#options;
    watch.start();
    feed.start();
    const stopFeed = feed.subscribe(() => {
      this.#browse.refresh();
      this.#tell();
    });
    this.#leave = [watch.subscribe(() => this.#tell()), stopFeed];
  }

  deactivate(): void {
    for (const leave of this.#leave.splice(0)) leave();
    this.#options.feed.stop();
  }

  async close(): Promise<void> {
    this.deactivate();
    this.#requests.close();
  }

  #bannerRows(): number {
    const { glyphs, watch, frame, now } = this.#options;
    const { work, startProblem } = this.#store.get();
    const host = this.#server.host;
    const banner = bannerOf({ work, startProblem, host, link: watch.state, now: now() }, glyphs);
    return bannerRows(banner, frame.bodySize().columns - 2, glyphs.isAscii).length;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
