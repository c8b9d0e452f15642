// What a person has done to models: load, unload, pull, copy, rename, make, delete. Each call tells in
// a sentence when it could not be done.

import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { pullOnServer } from "../../../client/model-calls.ts";
import { copyModel, createFromModelfile, deleteModel } from "../../../client/models-store.ts";
import type { Store } from "../../state/store.ts";
import {
  failDownload,
  isActive,
  noteRecord,
  pauseDownload,
  resumeDownload,
  startDownload,
} from "./download.ts";
import { entriesOf } from "./model-entries.ts";
import { isSameModel, withTag } from "./model-name.ts";
import type { ModelReader } from "./model-reader.ts";
import {
  findDownload,
  type LoadingModel,
  type ModelsState,
  withDownload,
  withList,
} from "./models-state.ts";

export interface WorkOptions {
  readonly client: () => ApiClient;
  readonly store: Store<ModelsState>;
  readonly clock: Clock;
  readonly reader: ModelReader;
  /** Tells what has come about by itself. */
  readonly notify: (sentence: string) => void;
}

export class ModelWork {
  readonly #options: WorkOptions;
  /** What runs, by the model's name with its tag. */
  readonly #pulls = new Map<string, AbortController>();
  readonly #loads = new Map<string, AbortController>();
  readonly #making = new AbortController();

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  /** Loads with the window and the kind of cache that were chosen; a load can be cancelled. */
  async load(name: string): Promise<string | undefined> {
    const { client, reader } = this.#options;
    const key = withTag(name);
    if (this.#loads.has(key)) return `${name} is being loaded`;
    const controller = new AbortController();
    this.#loads.set(key, controller);
    const { contextLength, cacheType } = this.#state.choice;
    this.#noteLoad(name, "load", undefined);
    try {
      const events = client().generate("", {
        model: name,
        signal: controller.signal,
        parameters: {
          ...(contextLength !== undefined && { num_ctx: contextLength }),
          ...(cacheType !== undefined && { kv_cache_type: cacheType }),
        },
      });
      for await (const event of events) {
        if (event.type === "checking") this.#noteLoad(name, "check", event.fraction);
        if (event.type === "loading") this.#noteLoad(name, "load", event.fraction);
      }
      await reader.refreshRunning();
      return undefined;
    } catch (error) {
      if (controller.signal.aborted) return `Loading ${name} was cancelled`;
      return describeError(error);
    } finally {
      this.#loads.delete(key);
      const loading = this.#state.loading.filter((other) => !isSameModel(other.name, name));
      this.#options.store.update({ loading });
    }
  }

  /** @returns whether it was being loaded by us */
  cancelLoad(name: string): boolean {
    const controller = this.#loads.get(withTag(name));
    controller?.abort();
    return controller !== undefined;
  }

  async unload(name: string): Promise<string | undefined> {
    const { client, reader } = this.#options;
    return await told(async () => {
      await client().unload(name);
      await reader.refreshRunning();
    });
  }

  /** Begins a download, or goes on with one; its end is told by itself. */
  pull(reference: string): string | undefined {
    const name = withTag(reference);
    const known = findDownload(this.#state.downloads, name);
    if (known !== undefined && isActive(known)) return `${name} is being downloaded already`;
    this.#setDownload(name, (download) =>
      download === undefined ? startDownload(name) : resumeDownload(download),
    );
    // Whoever asks for it wants to see it.
    this.#options.store.update(withList(this.#state, "local", { selected: name }));
    void this.#pull(name);
    return undefined;
  }

  pause(name: string): void {
    this.#setDownload(name, (download) => download && pauseDownload(download));
    this.#stopPull(name);
  }

  /** What was fetched stays in the store for a while. */
  cancelPull(name: string): string {
    this.#setDownload(name, () => undefined);
    this.#stopPull(name);
    return `${name} is off the list; what was fetched is kept for two weeks, p goes on from there`;
  }

  async copy(source: string, destination: string): Promise<string | undefined> {
    return await told(async () => {
      await copyModel(this.#options.client(), source, destination);
      await this.#showNew(destination);
    });
  }

  async rename(source: string, destination: string): Promise<string | undefined> {
    const { client } = this.#options;
    return await told(async () => {
      await copyModel(client(), source, destination);
      try {
        await deleteModel(client(), source);
      } finally {
        await this.#showNew(destination);
      }
    });
  }

  async remove(name: string): Promise<string | undefined> {
    const { client, reader, store } = this.#options;
    const names = entriesOf(this.#state, "local").map(({ entry }) => entry.name);
    const at = names.indexOf(name);
    return await told(async () => {
      await deleteModel(client(), name);
      // The one that moves up into its place, else the last.
      const selected = names[at + 1] ?? names[at - 1];
      if (at >= 0) store.update(withList(this.#state, "local", { selected }));
      reader.forgetCards();
      await reader.refresh();
    });
  }

  /** @throws ServerRefusal, or ProductError of the client */
  async create(name: string, modelfile: string): Promise<void> {
    const { client, store } = this.#options;
    try {
      store.update({ work: `making ${name}` });
      await createFromModelfile(
        client(),
        { name, modelfile },
        {
          signal: this.#making.signal,
          onProgress: ({ status, total, completed }) => {
            const percent = total && ` ${Math.floor(((completed ?? 0) / total) * 100)}%`;
            store.update({ work: `making ${name}: ${status}${percent || ""}` });
          },
        },
      );
      await this.#showNew(name);
    } finally {
      store.update({ work: undefined });
    }
  }

  /** The program ends: downloads stop where they are. */
  close(): void {
    this.#making.abort();
    for (const controller of [...this.#pulls.values(), ...this.#loads.values()]) controller.abort();
  }

  get #state(): ModelsState {
    return this.#options.store.get();
  }

  async #pull(name: string): Promise<void> {
    const { client, clock, reader, notify } = this.#options;
    const controller = new AbortController();
    this.#pulls.set(name, controller);
    try {
      await pullOnServer(client(), name, {
        signal: controller.signal,
        onProgress: (record) => {
          if (controller.signal.aborted) return;
          this.#setDownload(
            name,
            (download) => download && noteRecord(download, record, clock.wallMs()),
          );
        },
      });
      reader.forgetCards();
      await reader.refresh();
      this.#setDownload(name, () => undefined);
      notify(`${name} is here`);
    } catch (error) {
      if (controller.signal.aborted) return;
      const sentence = describeError(error);
      this.#setDownload(name, (download) => download && failDownload(download, sentence));
      // The person may look at another screen meanwhile.
      notify(`The download of ${name} failed: ${sentence}`);
    } finally {
      if (this.#pulls.get(name) === controller) this.#pulls.delete(name);
    }
  }

  #stopPull(name: string): void {
    const key = withTag(name);
    this.#pulls.get(key)?.abort();
    this.#pulls.delete(key);
  }

  /** What a model shares with others is told anew, and the new one is selected. */
  async #showNew(name: string): Promise<void> {
    const { store, reader } = this.#options;
    reader.forgetCards();
    await reader.refresh();
    const found = this.#state.local.value?.find((model) => isSameModel(model.name, name));
    if (found === undefined) return;
    store.update(withList(this.#state, "local", { selected: found.name }));
  }

  #noteLoad(name: string, step: LoadingModel["step"], fraction: number | undefined): void {
    const others = this.#state.loading.filter((other) => !isSameModel(other.name, name));
    this.#options.store.update({ loading: [...others, { name, step, fraction }] });
  }

  #setDownload(name: string, change: Parameters<typeof withDownload>[2]): void {
    const downloads = withDownload(this.#state.downloads, name, change);
    this.#options.store.update({ downloads });
  }
}

/** The sentence of what went wrong, or undefined. */
async function told(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
