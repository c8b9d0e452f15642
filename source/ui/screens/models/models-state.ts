// State of the models screen: data of the server, and the user's choices.

import type { Download } from "../../../client/download.ts";
import type { Loadable } from "../../../client/live/loadable.ts";
import type { LoadChoice } from "../../../client/memory-estimate.ts";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import type { HubModel, HubQuantization } from "../../../client/models-hub.ts";
import type {
  Capacity,
  DeletionPlan,
  LocalModel,
  ModelDescription,
} from "../../../client/models-store.ts";
import { firstRow, type Selection } from "../../components/list-state.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import { isSameModel } from "./model-name.ts";

export const sources = ["local", "hub", "running"] as const;
export type Source = (typeof sources)[number];

/** A value that is read again and again: the last one stays visible. */
export interface Refreshed<T> {
  /** The last value received; kept when the server stops. */
  readonly value?: T;
  /** Milliseconds since 1970. */
  readonly readAtMs?: number;
  /** Why the last reading failed. */
  readonly error?: string;
  /** A wait is shown once it is long; undefined while nothing is awaited. */
  readonly wait?: "short" | "long" | undefined;
}

export const notRead: Refreshed<never> = {};

export function waitingFor<T>(known: Refreshed<T>): Refreshed<T> {
  return { ...known, wait: known.wait ?? "short" };
}

export function received<T>(value: T, nowMs: number): Refreshed<T> {
  return { value, readAtMs: nowMs };
}

export function failed<T>(known: Refreshed<T>, error: string): Refreshed<T> {
  return { ...known, error, wait: undefined };
}

/** Sort orders of each source; the first is the default. */
export const sortOrders = {
  local: ["newest", "name", "size", "fit"],
  hub: ["downloads", "likes", "newest", "trending"],
  running: ["until", "name", "size"],
} as const satisfies Record<Source, readonly string[]>;

export interface ListChoice {
  readonly selected: Selection;
  readonly filter: EditorState;
  readonly sort: string;
}

/** A model that this screen is loading. */
export interface LoadingModel {
  readonly name: string;
  /** A file that was touched is checked first: its content may have changed. */
  readonly step: "check" | "load" | "warm";
  /** 0 to 1; undefined while it waits. */
  readonly fraction: number | undefined;
}

/** Facts for the card of a model. */
export interface CardFacts {
  readonly description: ModelDescription;
  /** Undefined for a model that cannot be deleted here, and until it is known. */
  readonly deletion: DeletionPlan | undefined;
}

/** A model file that no model of the store refers to. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly architecture: string;
}

export interface ModelsState {
  readonly source: Source;
  readonly pane: "list" | "card";
  readonly isTyping: boolean;
  readonly lists: Readonly<Record<Source, ListChoice>>;
  readonly local: Refreshed<readonly LocalModel[]>;
  readonly running: Refreshed<readonly LoadedEntry[]>;
  readonly hub: Refreshed<readonly HubModel[]>;
  readonly capacity: Refreshed<Capacity>;
  readonly downloads: readonly Download[];
  /** Files on this machine that could be added. */
  readonly found: readonly FoundFile[];
  readonly loading: readonly LoadingModel[];
  /** The quantizations of repositories, by the repository's name. */
  readonly offers: ReadonlyMap<string, Loadable<readonly HubQuantization[]>>;
  /** By name and digest: a recreated model has a new card. */
  readonly cards: ReadonlyMap<string, Loadable<CardFacts>>;
  readonly choice: LoadChoice;
  /** The first visible row of the card. */
  readonly cardTop: number;
  /** A long task in progress, such as creating a model. */
  readonly work: string | undefined;
}

export function createModelsState(): ModelsState {
  const list = (sort: string): ListChoice => ({
    selected: firstRow,
    filter: createEditorState(),
    sort,
  });
  return {
    source: "local",
    pane: "list",
    isTyping: false,
    lists: {
      local: list(sortOrders.local[0]),
      hub: list(sortOrders.hub[0]),
      running: list(sortOrders.running[0]),
    },
    local: notRead,
    running: notRead,
    hub: notRead,
    capacity: notRead,
    downloads: [],
    found: [],
    loading: [],
    offers: new Map(),
    cards: new Map(),
    choice: { contextLength: undefined, cacheType: undefined },
    cardTop: 0,
    work: undefined,
  };
}

/** Selects a model by its name. */
export function modelNamed(name: string): Selection {
  return { ...firstRow, name };
}

/** Changes the choice of one list; another model's card begins at its top. */
export function withList(
  state: ModelsState,
  source: Source,
  change: Partial<ListChoice>,
): Partial<ModelsState> {
  const list = { ...state.lists[source], ...change };
  const isOther = list.selected.name !== state.lists[source].selected.name;
  return { lists: { ...state.lists, [source]: list }, ...(isOther && { cardTop: 0 }) };
}

export function findDownload(downloads: readonly Download[], name: string): Download | undefined {
  return downloads.find((download) => isSameModel(download.name, name));
}

export function cardKey({ name, digest }: Pick<LocalModel, "name" | "digest">): string {
  return `${name}@${digest}`;
}
