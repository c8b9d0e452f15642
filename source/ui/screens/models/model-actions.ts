// Actions on the selected model: chat, load, copy, rename, edit, delete, and show its card.

import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { readHubCard } from "../../../client/models-hub.ts";
import {
  copyModel,
  createFromModelfile,
  deleteModel,
  describeModel,
  type LocalModel,
  planDeletion,
} from "../../../client/models-store.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../hooks/store.ts";
import { cardText, deletionSentence } from "./card-text.ts";
import {
  entriesOf,
  isLoaded,
  type ModelEntry,
  readOnlyReason,
  selectedEntry,
} from "./model-entries.ts";
import { baseName, isSameModel, withTag } from "./model-name.ts";
import type { ModelsFeed } from "./models-feed.ts";
import { type LoadingModel, type ModelsState, withList } from "./models-state.ts";

export interface ModelActionsOptions {
  /** The server to ask now: after a break it may be another. */
  readonly client: () => ApiClient;
  readonly store: Store<ModelsState>;
  readonly frame: FrameServices;
  readonly feed: ModelsFeed;
}

/** The message of an action; undefined where the screen shows it. */
type Answer = Promise<string | undefined>;

const emptyModelfile = "FROM tiny\n";

export class ModelActions {
  readonly #options: ModelActionsOptions;
  /** Loads that run, by the model's name with its tag. */
  readonly #loads = new Map<string, AbortController>();
  readonly #closing = new AbortController();
  /** Modelfiles that could not be made, by the model that they began with. */
  readonly #drafts = new Map<string, string>();

  constructor(options: ModelActionsOptions) {
    this.#options = options;
  }

  chat(): void {
    const entry = this.#entry;
    if (entry !== undefined) this.#options.frame.open("chat", entry.name);
  }

  async toggleLoad(): Answer {
    const entry = this.#entry;
    if (entry === undefined) return undefined;
    return await (isLoaded(entry) ? this.#unload(entry.name) : this.#load(entry.name));
  }

  cancelLoad(): void {
    const entry = this.#entry;
    if (entry !== undefined) this.#loads.get(withTag(entry.name))?.abort();
  }

  async copy(): Answer {
    const name = this.#local?.name;
    if (name === undefined) return undefined;
    const target = await this.#askName(`Copy ${name} to`, `${baseName(name)}-copy`, name);
    if (target === undefined) return undefined;
    return await attempt(async () => {
      await copyModel(this.#options.client(), name, target);
      await this.#showNew(target);
      return `${target} is a copy of ${name}`;
    });
  }

  async rename(): Answer {
    const model = this.#local;
    if (model === undefined) return undefined;
    const { name } = model;
    const reason = readOnlyReason(model);
    if (reason !== undefined) return reason;
    const target = await this.#askName(`Rename ${name} to`, baseName(name), name);
    if (target === undefined) return undefined;
    const { client } = this.#options;
    return await attempt(async () => {
      await copyModel(client(), name, target);
      try {
        await deleteModel(client(), name);
      } finally {
        await this.#showNew(target);
      }
      return `${name} is ${target} now`;
    });
  }

  async remove(): Answer {
    const { client, frame, feed, store } = this.#options;
    const model = this.#local;
    if (model === undefined) return undefined;
    const { name } = model;
    const reason = readOnlyReason(model);
    if (reason !== undefined) return reason;
    // A damaged model has no plan, and can be deleted nevertheless.
    const effect = planDeletion(client(), name).then(deletionSentence, describeError);
    if (!(await frame.confirm(`Delete ${name}?`, effect))) return undefined;
    const names = entriesOf(this.#state, "local").map((found) => found.entry.name);
    const at = names.indexOf(name);
    return await attempt(async () => {
      await deleteModel(client(), name);
      const selected = names[at + 1] ?? names[at - 1];
      if (at >= 0) store.update(withList(this.#state, "local", { selected }));
      feed.forgetCards();
      await feed.refresh();
      return `${name} is deleted`;
    });
  }

  /** Makes a model from the selected one's Modelfile, or from an empty one; a mistake loses nothing. */
  async editModelfile(): Answer {
    const { client, frame } = this.#options;
    const name = this.#local?.name;
    const key = name ?? "";
    const draft = this.#drafts.get(key);
    let text = draft ?? emptyModelfile;
    try {
      if (draft === undefined && name !== undefined) {
        text = (await describeModel(client(), name)).modelfile;
      }
    } catch (error) {
      return describeError(error);
    }
    // A draft left as it is may be tried once more.
    const edited = (await frame.edit(text, "Modelfile")) ?? draft;
    if (edited === undefined) return "Nothing was changed, so nothing was made";
    this.#drafts.set(key, edited);
    const suggestion = name === undefined ? "" : `${baseName(name)}-custom`;
    const target = await this.#askName("Make it under the name", suggestion);
    if (target === undefined) return "Nothing was made; e opens your text again";
    try {
      await this.#create(target, edited);
    } catch (error) {
      return `${describeError(error)} e opens your text again`;
    }
    this.#drafts.delete(key);
    return `${target} is made`;
  }

  async copyName(): Answer {
    const entry = this.#entry;
    return entry === undefined ? undefined : await this.#options.frame.copy(entry.name);
  }

  /** Opens the whole card in the pager. */
  async showCard(): Answer {
    const { client, frame } = this.#options;
    const entry = this.#entry;
    if (entry === undefined) return undefined;
    const { kind, name } = entry;
    return await attempt(async () => {
      const text =
        kind === "hub"
          ? await readHubCard(client(), name)
          : cardText(await describeModel(client(), name));
      if (text === "") return `${name} has no card`;
      await frame.page(text);
      return undefined;
    });
  }

  /** Ends what runs. */
  close(): void {
    this.#closing.abort();
    for (const controller of this.#loads.values()) controller.abort();
  }

  get #entry(): ModelEntry | undefined {
    return selectedEntry(this.#state);
  }

  get #state(): ModelsState {
    return this.#options.store.get();
  }

  get #local(): LocalModel | undefined {
    const entry = this.#entry;
    return entry?.kind === "local" ? entry.model : undefined;
  }

  /** Loads with the chosen window and KV cache. */
  async #load(name: string): Answer {
    const { client, feed, store } = this.#options;
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
      await feed.refreshRunning();
      return undefined;
    } catch (error) {
      return controller.signal.aborted ? `Loading ${name} was cancelled` : describeError(error);
    } finally {
      this.#loads.delete(key);
      const loading = this.#state.loading.filter((other) => !isSameModel(other.name, name));
      store.update({ loading });
    }
  }

  #noteLoad(name: string, step: LoadingModel["step"], fraction: number | undefined): void {
    const others = this.#state.loading.filter((other) => !isSameModel(other.name, name));
    this.#options.store.update({ loading: [...others, { name, step, fraction }] });
  }

  async #unload(name: string): Answer {
    const { client, feed } = this.#options;
    return await attempt(async () => {
      await client().unload(name);
      await feed.refreshRunning();
      return undefined;
    });
  }

  /** @throws ServerRefusal, or ProductError of the client */
  async #create(name: string, modelfile: string): Promise<void> {
    const { client, store } = this.#options;
    try {
      store.update({ work: `making ${name}` });
      await createFromModelfile(
        client(),
        { name, modelfile },
        {
          signal: this.#closing.signal,
          onProgress: ({ status, total, completed = 0 }) => {
            const percent = total ? ` ${Math.floor((completed / total) * 100)}%` : "";
            store.update({ work: `making ${name}: ${status}${percent}` });
          },
        },
      );
      await this.#showNew(name);
    } finally {
      store.update({ work: undefined });
    }
  }

  /** Reads the lists again and selects the new model. */
  async #showNew(name: string): Promise<void> {
    const { store, feed } = this.#options;
    feed.forgetCards();
    await feed.refresh();
    const found = this.#state.local.value?.find((model) => isSameModel(model.name, name));
    if (found === undefined) return;
    store.update(withList(this.#state, "local", { selected: found.name }));
  }

  /** @param source a model that cannot get its own name again */
  async #askName(question: string, suggestion: string, source?: string): Answer {
    const { frame } = this.#options;
    const typed = (await frame.ask(question, suggestion))?.trim();
    if (typed === undefined || typed === "") return undefined;
    if (source !== undefined && isSameModel(typed, source)) {
      frame.notify(`${source} has that name already`);
      return undefined;
    }
    const taken = this.#state.local.value?.find((model) => isSameModel(model.name, typed));
    if (taken === undefined) return typed;
    return (await frame.confirm(`Replace ${taken.name}?`)) ? typed : undefined;
  }
}

/** @returns the error's sentence where the work fails */
async function attempt(work: () => Answer): Answer {
  try {
    return await work();
  } catch (error) {
    return describeError(error);
  }
}
