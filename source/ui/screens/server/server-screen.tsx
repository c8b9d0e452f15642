// The Server screen: live figures, the request log, and control of the server.

import { type ComponentType, memo } from "react";
import { describeError } from "../../../base/product-error.ts";
import { requestTexts } from "../../../client/requests.ts";
import { fieldAfterText } from "../../editor/line-field.ts";
import { bindCommands } from "../../frame/command-table.ts";
import { fieldCommands } from "../../frame/field-commands.ts";
import type { BodySize, BoundCommand, Screen } from "../../frame/screen.ts";
import { Store } from "../../hooks/store.ts";
import type { RequestFeed } from "../../live/request-feed.ts";
import { rate, span } from "../../text/quantities.ts";
import { asciiGlyphs } from "../../theme.ts";
import { editField, refresh } from "./browse-actions.ts";
import { requestSentence } from "./request-columns.ts";
import { currentRequest, listRequests } from "./request-list.ts";
import { requestText } from "./request-text.ts";
import { ServerBody } from "./server-body.tsx";
import { serverCommands } from "./server-commands.ts";
import { hostedServer } from "./server-control.ts";
import { initialServerState, type ServerContext, textsOf } from "./server-state.ts";

export interface ServerScreenOptions
  extends Pick<ServerContext, "client" | "control" | "frame" | "glyphs" | "readFilter" | "watch"> {
  readonly feed: RequestFeed;
}

/** Requests that are read out to screen readers. */
const readRequests = 20;

export class ServerScreen implements Screen {
  readonly id = "server";
  readonly title = "Server";
  readonly Body: ComponentType<BodySize>;
  readonly #feed: RequestFeed;
  readonly #context: ServerContext;
  readonly #commands: readonly BoundCommand[];
  readonly #closing = new AbortController();

  constructor(options: ServerScreenOptions) {
    const { feed, client } = options;
    const store = new Store(initialServerState);
    const context: ServerContext = {
      ...options,
      store,
      extent: { current: { rows: 1, lastTop: 0 } },
      closing: this.#closing.signal,
      host: () => hostedServer(context),
      readTexts: ({ id }) =>
        requestTexts(client(), id).then(
          (texts) => ({ kind: "read", texts }),
          (error: unknown) => ({ kind: "failed", sentence: describeError(error) }),
        ),
      get state() {
        return store.get();
      },
      get listed() {
        return listRequests(store.get(), feed.get());
      },
    };
    this.#feed = feed;
    this.#context = context;
    this.#commands = [
      ...bindCommands(serverCommands, context),
      ...fieldCommands(
        () => this.isTyping(),
        (edit) => editField(context, edit),
      ),
    ];
    this.Body = memo(function ServerScreenBody(size: BodySize) {
      return <ServerBody sources={context} {...size} />;
    });
    feed.subscribe(() => refresh(context));
  }

  commands(): readonly BoundCommand[] {
    return this.#commands;
  }

  status(): string {
    const { sample, staleMs } = this.#context.watch;
    if (sample === undefined || staleMs !== undefined) return "";
    return `up ${span(sample.uptimeMs)}  ${rate(sample.tokensPerSecond)} tok/s`;
  }

  isTyping(): boolean {
    return this.#context.state.field !== undefined;
  }

  type(text: string): void {
    editField(this.#context, (field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  /** The open request, or the newest ones that have ended: a running one changes all the time. */
  readerLines(): readonly string[] {
    const { state, listed } = this.#context;
    const { opened, read } = state;
    if (opened !== undefined) {
      const view = currentRequest(this.#feed.get(), opened);
      return requestText(view, textsOf(read, view), asciiGlyphs).split("\n");
    }
    return listed.shown
      .filter((view) => view.state === "done")
      .slice(-readRequests)
      .map(requestSentence);
  }

  subscribe(listener: () => void): () => void {
    const { store, watch } = this.#context;
    const stops = [store, watch, this.#feed].map((source) => source.subscribe(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  activate(): void {
    this.#context.watch.start();
    this.#feed.start();
  }

  deactivate(): void {
    this.#feed.stop();
  }

  async close(): Promise<void> {
    this.deactivate();
    this.#closing.abort();
  }
}
