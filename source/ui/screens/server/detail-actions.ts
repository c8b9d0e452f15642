// What keys do with a request that is open in full: read its texts, scroll, page.

import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { type RequestView, requestTexts } from "../../../client/requests.ts";
import { panelInnerWidth } from "../../components/panel.tsx";
import type { FrameServices } from "../../frame/screen.ts";
import { keyOf } from "../../live/request-feed.ts";
import type { Store } from "../../state/store.ts";
import type { Glyphs } from "../../theme.ts";
import { currentRequest } from "./request-list.ts";
import { type DetailTexts, requestLines, requestText } from "./request-text.ts";
import { type ReadRequest, type ServerSources, type ServerState, textsOf } from "./server-state.ts";

export interface DetailActionsOptions {
  readonly store: Store<ServerState>;
  readonly feed: ServerSources["feed"];
  readonly client: () => ApiClient;
  readonly frame: Pick<FrameServices, "bodySize" | "page">;
  readonly glyphs: Glyphs;
  /** Rows of the open request that are in sight. */
  readonly pageRows: () => number;
}

export class DetailActions {
  readonly #options: DetailActionsOptions;

  constructor(options: DetailActionsOptions) {
    this.#options = options;
  }

  open(view: RequestView): undefined {
    // New requests must not take the place of the one that is read: it stays selected.
    this.#options.store.update({ opened: view, top: 0, selectedKey: keyOf(view) });
    void this.#read(view);
  }

  close(): undefined {
    this.#options.store.update({ opened: undefined });
  }

  toggleWrap(): undefined {
    const { store } = this.#options;
    store.update({ isWrapped: !store.get().isWrapped });
  }

  scroll(rows: number): undefined {
    const { store, feed, frame, glyphs, pageRows } = this.#options;
    const { opened, read, top, isWrapped } = store.get();
    if (opened === undefined) return;
    const view = currentRequest(feed.get(), opened);
    const width = panelInnerWidth(frame.bodySize().columns);
    const lines = requestLines(view, textsOf(read, view), { width, glyphs, isWrapped });
    const last = Math.max(0, lines.length - pageRows());
    store.update({ top: Math.min(last, Math.max(0, top + rows)) });
  }

  scrollPage(direction: -1 | 1): undefined {
    this.scroll(direction * Math.max(1, this.#options.pageRows() - 1));
  }

  /** Reads an open request again once it has ended: only then its texts are whole. */
  refresh(): void {
    const { store, feed } = this.#options;
    const { opened, read } = store.get();
    if (opened === undefined || read?.key !== keyOf(opened)) return;
    const view = currentRequest(feed.get(), opened);
    if (view.state !== read.state) void this.#read(view);
  }

  async page(view: RequestView): Promise<undefined> {
    const { store, frame, glyphs } = this.#options;
    const known = textsOf(store.get().read, view);
    const texts = known.kind === "reading" ? await this.#read(view) : known;
    await frame.page(requestText(view, texts, glyphs));
    return undefined;
  }

  async #read(view: RequestView): Promise<DetailTexts> {
    const { store, client } = this.#options;
    const before = textsOf(store.get().read, view);
    const reading: ReadRequest = { key: keyOf(view), state: view.state, texts: before };
    store.update({ read: reading });
    const texts = await readTexts(client(), view);
    if (store.get().read === reading) store.update({ read: { ...reading, texts } });
    return texts;
  }
}

/** What was said in a request, or why that cannot be read. */
export async function readTexts(client: ApiClient, { id }: RequestView): Promise<DetailTexts> {
  try {
    return { kind: "read", texts: await requestTexts(client, id) };
  } catch (error) {
    return { kind: "failed", sentence: describeError(error) };
  }
}
