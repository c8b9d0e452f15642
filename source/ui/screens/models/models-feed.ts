// Reads the screen's data from the server: lists, memory and disk, cards, hub searches.

import type { Clock } from "../../../base/clock.ts";
import { shownModel } from "../../../base/display-text.ts";
import { describeError } from "../../../base/product-error.ts";
import type { Store } from "../../../base/store.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { type Loadable, load, loadedValue } from "../../../client/live/loadable.ts";
import { Poll } from "../../../client/live/poll.ts";
import { loadedModels } from "../../../client/model-calls.ts";
import {
  type HubOrder,
  type HubQuantization,
  listQuantizations,
  searchHub,
} from "../../../client/models-hub.ts";
import {
  describeModel,
  type LocalModel,
  listModels,
  planDeletion,
  readCapacity,
} from "../../../client/models-store.ts";
import { selectedEntry, selectionFallback } from "./model-entries.ts";
import {
  type CardFacts,
  cardKey,
  type FoundFile,
  failed,
  type ModelsState,
  notRead,
  received,
  sources,
  waitingFor,
  withList,
} from "./models-state.ts";

export interface ModelsFeedOptions {
  /** The current server: it may change after a disconnect. */
  readonly client: () => ApiClient;
  readonly store: Store<ModelsState>;
  readonly clock: Clock;
  /** Looks for model files on this machine; undefined if the user forbids it. */
  readonly findFiles?: (() => Promise<readonly FoundFile[]>) | undefined;
}

/** Polling intervals. Changes made here are read at once; others are rare. */
const intervalsMs = { running: 1000, capacity: 3000, local: 10_000 };
/** Maximum share of the time spent on the list: the server opens a file for each model. */
const listShareMaximum = 1 / 20;
/** Delays before a card is read: a key held down passes many cards, and the hub limits requests. */
const cardDelaysMs = { local: 120, hub: 400, running: 120 };
const searchDelayMs = 250;
const longWaitMs = 150;
const cardsMaximum = 100;

const hubOrdersBySort: Readonly<Record<string, HubOrder>> = {
  downloads: "downloads",
  likes: "likes",
  newest: "lastModified",
  trending: "trendingScore",
};

/** Values that are read once, by the name of the map that keeps them in the state. */
interface ReadOnce {
  readonly cards: CardFacts;
  readonly offers: readonly HubQuantization[];
}

export class ModelsFeed {
  readonly #options: ModelsFeedOptions;
  readonly #polls: { readonly local: Poll; readonly running: Poll; readonly capacity: Poll };
  #cardTimer: NodeJS.Timeout | undefined;
  #searchTimer: NodeJS.Timeout | undefined;
  #searching: AbortController | undefined;
  /** Keys of cards and offers that are being read. */
  readonly #loading = new Set<string>();
  /** The query that found the hub's list. */
  #foundQuery: string | undefined;
  #isRunning = false;

  constructor(options: ModelsFeedOptions) {
    this.#options = options;
    const { client } = options;
    const readLocal = async () => {
      await this.#read("local", () => listModels(client()));
      this.readCard();
    };
    const readRunning = () =>
      this.#read("running", async () =>
        (await loadedModels(client())).map((one) => ({ ...one, name: shownModel(one.name) })),
      );
    const readRoom = () => this.#read("capacity", () => readCapacity(client()));
    this.#polls = {
      local: new Poll(readLocal, intervalsMs.local, listShareMaximum),
      running: new Poll(readRunning, intervalsMs.running),
      capacity: new Poll(readRoom, intervalsMs.capacity),
    };
  }

  /** True while the screen is shown. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.#isRunning = true;
    for (const poll of Object.values(this.#polls)) poll.start();
    this.readCard();
    void this.#findFiles();
  }

  stop(): void {
    this.#isRunning = false;
    for (const poll of Object.values(this.#polls)) poll.stop();
  }

  /** Refreshes all data about this machine. */
  async refresh(): Promise<void> {
    await Promise.all(Object.values(this.#polls).map((poll) => poll.now()));
    void this.#findFiles();
  }

  /** Runs in the background, since a folder may be on a slow disk. A folder that cannot be read is skipped. */
  async #findFiles(): Promise<void> {
    const found = await this.#options.findFiles?.().catch(() => []);
    if (found !== undefined) this.#options.store.update({ found });
  }

  async refreshRunning(): Promise<void> {
    await Promise.all([this.#polls.running.now(), this.#polls.capacity.now()]);
  }

  /** Reads the card of the selected model, unless it is known. */
  readCard(): void {
    clearTimeout(this.#cardTimer);
    this.#cardTimer = setTimeout(() => {
      const entry = selectedEntry(this.#state);
      if (entry?.kind === "local" && entry.model !== undefined) void this.#readCard(entry.model);
      if (entry?.kind === "hub") {
        const { name } = entry;
        void this.#readOnce("offers", name, () => listQuantizations(this.#options.client(), name));
      }
    }, cardDelaysMs[this.#state.source]);
    this.#cardTimer.unref();
  }

  /** Drops the cards, since any change of models may change the space that a deletion frees. */
  forgetCards(): void {
    this.#options.store.update({ cards: new Map() });
  }

  /** Searches after a pause in typing. */
  searchHubSoon(): void {
    clearTimeout(this.#searchTimer);
    this.#searchTimer = setTimeout(() => this.searchHub(), searchDelayMs);
    this.#searchTimer.unref();
  }

  searchHub(): void {
    clearTimeout(this.#searchTimer);
    void this.#search();
  }

  close(): void {
    this.stop();
    clearTimeout(this.#cardTimer);
    clearTimeout(this.#searchTimer);
    this.#searching?.abort();
  }

  get #state(): ModelsState {
    return this.#options.store.get();
  }

  async #read<Key extends "local" | "running" | "capacity">(
    key: Key,
    ask: () => Promise<NonNullable<ModelsState[Key]["value"]>>,
  ): Promise<void> {
    const { store, clock } = this.#options;
    if (this.#state[key].value === undefined) {
      this.#wait(key);
    }
    try {
      const value = await ask();
      store.update({ [key]: received(value, clock.wallMs()) });
      this.#settle();
    } catch (error) {
      store.update({ [key]: failed<unknown>(this.#state[key], describeError(error)) });
    }
  }

  async #search(): Promise<void> {
    const { client, store, clock } = this.#options;
    this.#searching?.abort();
    const search = new AbortController();
    this.#searching = search;
    const { filter, sort } = this.#state.lists.hub;
    const text = filter.text.trim();
    const order = hubOrdersBySort[sort] ?? "downloads";
    const query = `${order} ${text}`;
    this.#wait("hub");
    try {
      const models = await searchHub(client(), { text, order }, search.signal);
      if (search.signal.aborted) return;
      store.update({ hub: received(models, clock.wallMs()) });
      this.#foundQuery = query;
      this.#settle();
    } catch (error) {
      if (search.signal.aborted) return;
      // Drops models of another query.
      const before = this.#foundQuery === query ? this.#state.hub : notRead;
      store.update({ hub: failed(before, describeError(error)) });
    }
  }

  async #readCard(model: LocalModel): Promise<void> {
    const { client } = this.#options;
    const key = cardKey(model);
    const card = await this.#readOnce("cards", key, async () => ({
      description: await describeModel(client(), model.name),
      deletion: undefined,
    }));
    // Read-only models cannot be deleted: there is nothing to plan.
    if (card === undefined || model.store !== "modelctl") return;
    // A plan reads the whole store, so the card is shown first. Its errors appear when d asks again.
    const deletion = await planDeletion(client(), model.name).catch(() => undefined);
    if (deletion === undefined || loadedValue(this.#state.cards.get(key)) !== card) return;
    this.#keep("cards", key, { kind: "loaded", value: { ...card, deletion } });
  }

  /** Reads a value of a map, unless it is known or being read. @returns undefined if it was not read */
  async #readOnce<Part extends keyof ReadOnce>(
    part: Part,
    key: string,
    ask: () => Promise<ReadOnce[Part]>,
  ): Promise<ReadOnce[Part] | undefined> {
    const known = this.#state[part].get(key);
    if (known?.kind === "loaded" || this.#loading.has(key)) return undefined;
    this.#loading.add(key);
    // Shows the reason of a failure until the next attempt ends.
    if (known === undefined) this.#keep(part, key, { kind: "loading" });
    const loaded = await load(ask);
    this.#loading.delete(key);
    this.#keep(part, key, loaded);
    return loadedValue(loaded);
  }

  #keep(part: keyof ReadOnce, key: string, loadable: Loadable<unknown>): void {
    const others = [...this.#state[part]].filter(([other]) => other !== key).slice(-cardsMaximum);
    this.#options.store.update({
      [part]: new Map<string, Loadable<unknown>>([...others, [key, loadable]]),
    });
  }

  /** Keeps models selected while the lists change. */
  #settle(): void {
    const { store } = this.#options;
    for (const source of sources) {
      const choice = selectionFallback(this.#state, source);
      if (choice !== undefined) store.update(withList(this.#state, source, choice));
    }
  }

  #wait(key: "local" | "running" | "capacity" | "hub"): void {
    const { store } = this.#options;
    store.update({ [key]: waitingFor<unknown>(this.#state[key]) });
    setTimeout(() => {
      const known = this.#state[key];
      if (known.wait === "short") store.update({ [key]: { ...known, wait: "long" } });
    }, longWaitMs).unref();
  }
}
