// Models to begin with: the list in an empty chat of someone who has none, and the download of one.

import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { Store } from "../../../base/store.ts";
import type { FirstModels } from "../../../chat/chat-backend.ts";
import { addProgress, startDownload } from "../../../client/download.ts";
import type { RecommendedModel } from "../../../client/models-hub.ts";
import type { ChatState, Offers } from "./chat-state.ts";

const lookingFor: Offers = { found: undefined, selected: 0, download: undefined };

/** True while the list is shown and keys act on it: nothing was typed or said yet. */
export function areOffersOpen({
  offers,
  entries,
  editor,
}: Pick<ChatState, "offers" | "entries" | "editor">): boolean {
  const isListed = (offers?.found?.models.length ?? 0) > 0;
  return isListed && entries.length === 0 && editor.text === "";
}

export interface FirstModelsParts {
  readonly models: FirstModels;
  readonly store: Store<ChatState>;
  readonly clock: Clock;
  /** Switches the chat to a model that was downloaded. */
  readonly use: (name: string) => void;
  readonly warn: (text: string) => void;
}

export class FirstModelsList {
  readonly #parts: FirstModelsParts;
  readonly #closing = new AbortController();
  #pulling: AbortController | undefined;

  constructor(parts: FirstModelsParts) {
    this.#parts = parts;
  }

  /** Looks for models in the background. */
  open(): void {
    this.#parts.store.update({ offers: lookingFor });
    void this.#read();
  }

  move(rows: number): undefined {
    const { offers } = this.#parts.store.get();
    const count = offers?.found?.models.length ?? 0;
    if (offers === undefined || offers.download !== undefined || count === 0) return;
    const selected = Math.max(0, Math.min(count - 1, offers.selected + rows));
    this.#change({ selected });
  }

  /** Downloads the selected model, and opens the chat with it. */
  take(): undefined {
    const { offers } = this.#parts.store.get();
    const model = offers?.found?.models[offers.selected];
    if (model === undefined || offers?.download !== undefined) return;
    void this.#pull(model);
  }

  /** Stops the download, or closes the list: the chat goes on with the built-in model. */
  leave(): undefined {
    if (this.#pulling !== undefined) this.#pulling.abort();
    else this.#parts.store.update({ offers: undefined });
  }

  close(): void {
    this.#closing.abort();
    this.#pulling?.abort();
  }

  async #read(): Promise<void> {
    const { models, store } = this.#parts;
    try {
      const found = await models.read(this.#closing.signal);
      if (store.get().offers !== undefined) this.#change({ found });
    } catch (error) {
      if (this.#closing.signal.aborted || store.get().offers === undefined) return;
      this.#change({ found: { models: [], notes: [describeError(error)] } });
    }
  }

  async #pull({ name }: RecommendedModel): Promise<void> {
    const { models, clock, use, warn } = this.#parts;
    const pulling = new AbortController();
    this.#pulling = pulling;
    let download = startDownload(name);
    this.#change({ download });
    try {
      await models.pull(
        name,
        (record) => {
          download = addProgress(download, record, clock.wallMs());
          this.#change({ download });
        },
        pulling.signal,
      );
      this.#parts.store.update({ offers: undefined });
      use(name);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const kept = "Download stopped; Enter resumes it";
      warn(pulling.signal.aborted ? kept : describeError(error));
      this.#change({ download: undefined });
    } finally {
      this.#pulling = undefined;
    }
  }

  #change(change: Partial<Offers>): void {
    const { store } = this.#parts;
    const { offers = lookingFor } = store.get();
    store.update({ offers: { ...offers, ...change } });
  }
}
