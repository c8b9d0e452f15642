// Keeps what the screen shows as fresh as the server has it: lists, room, cards, the hub's answers.

import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { loadedModels } from "../../../client/model-calls.ts";
import { readCapacity } from "../../../client/models-capacity.ts";
import { type HubOrder, listQuantizations, searchHub } from "../../../client/models-hub.ts";
import {
  describeModel,
  type LocalModel,
  listModels,
  planDeletion,
} from "../../../client/models-store.ts";
import type { Store } from "../../state/store.ts";
import { selectedEntry, settledSelection } from "./model-entries.ts";
import {
  type CardFacts,
  cameIn,
  cardKey,
  failed,
  type ModelsState,
  nothingRead,
  type Reading,
  sources,
  waitingFor,
  withList,
} from "./models-state.ts";
import { Poll } from "./poll.ts";

export interface ReaderOptions {
  /** The server to ask now: after a break it may be another. */
  readonly client: () => ApiClient;
  readonly store: Store<ModelsState>;
  readonly clock: Clock;
}

/** What the person changes here is read again at once; others change little. */
const intervalsMs = { running: 1000, capacity: 3000, local: 10_000 };
/** The server reads a file for each model: thousands of them take it a while. */
const listShare = 1 / 20;
/** Somebody who holds a key down looks at no card on the way; the hub counts how often it is asked. */
const cardDelaysMs = { local: 120, hub: 400, running: 120 };
const searchDelayMs = 250;
/** From then on, waiting is shown. */
const shownWaitMs = 160;
const mostCards = 100;

const hubOrdersBySort: Readonly<Record<string, HubOrder>> = {
  downloads: "downloads",
  likes: "likes",
  newest: "lastModified",
  trending: "trendingScore",
};

export class ModelReader {
  readonly #options: ReaderOptions;
  readonly #polls: { readonly local: Poll; readonly running: Poll; readonly capacity: Poll };
  #cardTimer: NodeJS.Timeout | undefined;
  #searchTimer: NodeJS.Timeout | undefined;
  #search: AbortController | undefined;
  /** Cards whose deletion was asked for. */
  readonly #planned = new WeakSet<CardFacts>();
  #isClosed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { client } = options;
    this.#polls = {
      local: new Poll(
        async () => {
          await this.#read(
            () => listModels(client()),
            ({ local }) => local,
            (local) => ({ local }),
          );
          this.showCard();
        },
        intervalsMs.local,
        listShare,
      ),
      running: new Poll(
        () =>
          this.#read(
            () => loadedModels(client()),
            ({ running }) => running,
            (running) => ({ running }),
          ),
        intervalsMs.running,
      ),
      capacity: new Poll(
        () =>
          this.#read(
            () => readCapacity(client()),
            ({ capacity }) => capacity,
            (capacity) => ({ capacity }),
          ),
        intervalsMs.capacity,
      ),
    };
  }

  /** The screen is in sight. */
  start(): void {
    for (const poll of Object.values(this.#polls)) poll.start();
  }

  stop(): void {
    for (const poll of Object.values(this.#polls)) poll.stop();
  }

  /** Everything about this machine once more, now. */
  async refresh(): Promise<void> {
    await Promise.all(Object.values(this.#polls).map((poll) => poll.now()));
  }

  async refreshRunning(): Promise<void> {
    await Promise.all([this.#polls.running.now(), this.#polls.capacity.now()]);
  }

  /** Reads the card of the selected model, unless it is there. */
  showCard(): void {
    clearTimeout(this.#cardTimer);
    this.#cardTimer = setTimeout(() => {
      const entry = selectedEntry(this.#state);
      if (entry?.kind === "local" && entry.model !== undefined) void this.#readCard(entry.model);
      if (entry?.kind === "hub") void this.#readOffer(entry.name);
    }, cardDelaysMs[this.#state.source]);
    this.#cardTimer.unref();
  }

  /** What was freed or shared may have changed with another model. */
  forgetCards(): void {
    this.#options.store.update({ cards: new Map() });
  }

  /** @param isTyped more letters may follow */
  searchHub(isTyped: boolean): void {
    clearTimeout(this.#searchTimer);
    if (!isTyped) {
      void this.#searchNow();
      return;
    }
    this.#searchTimer = setTimeout(() => void this.#searchNow(), searchDelayMs);
    this.#searchTimer.unref();
  }

  close(): void {
    this.#isClosed = true;
    this.stop();
    clearTimeout(this.#cardTimer);
    clearTimeout(this.#searchTimer);
    this.#search?.abort();
  }

  get #state(): ModelsState {
    return this.#options.store.get();
  }

  async #read<T>(
    ask: () => Promise<T>,
    get: (state: ModelsState) => Reading<T>,
    set: (reading: Reading<T>) => Partial<ModelsState>,
  ): Promise<void> {
    const { clock } = this.#options;
    if (get(this.#state).value === undefined) {
      this.#update(set(waitingFor(get(this.#state), clock.wallMs())));
      this.#showWaiting();
    }
    try {
      const value = await ask();
      this.#update(set(cameIn(value, clock.wallMs())));
      this.#settle();
    } catch (error) {
      this.#update(set(failed(get(this.#state), describeError(error))));
    }
  }

  async #searchNow(): Promise<void> {
    const { client, clock } = this.#options;
    this.#search?.abort();
    const search = new AbortController();
    this.#search = search;
    const { filter, sort } = this.#state.lists.hub;
    const text = filter.text.trim();
    const order = hubOrdersBySort[sort] ?? "downloads";
    const query = `${order} ${text}`;
    this.#update({ hub: waitingFor(this.#state.hub, clock.wallMs()) });
    this.#showWaiting();
    try {
      const models = await searchHub(client(), { text, order }, search.signal);
      if (search.signal.aborted) return;
      this.#update({ hub: cameIn(models, clock.wallMs()), hubQuery: query });
      this.#settle();
    } catch (error) {
      if (search.signal.aborted) return;
      // What other words had found is no answer to these.
      const before = this.#state.hubQuery === query ? this.#state.hub : nothingRead;
      this.#update({ hub: failed(before, describeError(error)) });
    }
  }

  async #readCard(model: LocalModel): Promise<void> {
    const { client, clock } = this.#options;
    const key = cardKey(model);
    await this.#readOnce(
      key,
      async () => ({ description: await describeModel(client(), model.name), deletion: undefined }),
      ({ cards }) => cards,
      (cards) => ({ cards }),
    );
    // Of other stores and of the program itself nothing can be deleted here.
    const card = this.#state.cards.get(key)?.value;
    if (card === undefined || card.deletion !== undefined || model.store !== "modelctl") return;
    if (this.#planned.has(card)) return;
    this.#planned.add(card);
    // The whole store is looked through for it: what is known already does not wait. Who deletes it is
    // told what is wrong.
    const deletion = await planDeletion(client(), model.name).catch(() => undefined);
    const { cards } = this.#state;
    if (deletion === undefined || cards.get(key)?.value !== card) return;
    const read = cameIn({ ...card, deletion }, clock.wallMs());
    this.#update({ cards: new Map([...cards, [key, read]]) });
  }

  async #readOffer(name: string): Promise<void> {
    const { client } = this.#options;
    await this.#readOnce(
      name,
      () => listQuantizations(client(), name),
      ({ offers }) => offers,
      (offers) => ({ offers }),
    );
  }

  /** Reads what is not there yet, unless somebody reads it already. */
  async #readOnce<T>(
    key: string,
    ask: () => Promise<T>,
    get: (state: ModelsState) => ReadonlyMap<string, Reading<T>>,
    set: (all: ReadonlyMap<string, Reading<T>>) => Partial<ModelsState>,
  ): Promise<void> {
    const { clock } = this.#options;
    const known = get(this.#state).get(key) ?? nothingRead;
    if (known.value !== undefined || known.waitingSinceMs !== undefined) return;
    const keep = (reading: Reading<T>) => {
      const others = [...get(this.#state)].filter(([other]) => other !== key);
      this.#update(set(new Map([...others.slice(-mostCards), [key, reading]])));
    };
    keep(waitingFor(known, clock.wallMs()));
    try {
      keep(cameIn(await ask(), clock.wallMs()));
    } catch (error) {
      keep(failed(known, describeError(error)));
    }
  }

  #settle(): void {
    for (const source of sources) {
      const choice = settledSelection(this.#state, source);
      if (choice !== undefined) this.#update(withList(this.#state, source, choice));
    }
  }

  /** A repaint at the moment from which waiting is shown. */
  #showWaiting(): void {
    setTimeout(() => this.#update({}), shownWaitMs).unref();
  }

  #update(change: Partial<ModelsState>): void {
    if (!this.#isClosed) this.#options.store.update(change);
  }
}
