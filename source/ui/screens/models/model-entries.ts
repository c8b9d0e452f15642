// Entries of each list, filtered and sorted, and the selected one.

import fuzzysort from "fuzzysort";
import { memoizeLast } from "../../../base/memoize-last.ts";
import type { Download } from "../../../client/download.ts";
import {
  estimateMemory,
  type Fit,
  type LoadChoice,
  type MemoryEstimate,
} from "../../../client/memory-estimate.ts";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import type { HubModel } from "../../../client/models-hub.ts";
import type { Capacity, LocalModel } from "../../../client/models-store.ts";
import { movedSelection, selectedIndex } from "../../components/list-state.ts";
import { isSameModel, nameKey } from "./model-name.ts";
import type { FoundFile, ListChoice, LoadingModel, ModelsState, Source } from "./models-state.ts";

/** A model on this machine, or one that is being downloaded. */
export interface LocalEntry {
  readonly kind: "local";
  readonly name: string;
  /** Undefined while it is being downloaded for the first time. */
  readonly model?: LocalModel | undefined;
  readonly loaded?: LoadedEntry | undefined;
  readonly loading?: LoadingModel | undefined;
  readonly download?: Download | undefined;
  /** Undefined until the server has sent enough. */
  readonly estimate?: MemoryEstimate | undefined;
  /** A file that is no model yet; its name is its path. */
  readonly found?: FoundFile | undefined;
}

export interface HubEntry {
  readonly kind: "hub";
  readonly name: string;
  readonly model: HubModel;
  /** Names of the repository's installed models. */
  readonly installed: readonly string[];
  readonly download: Download | undefined;
}

export interface RunningEntry {
  readonly kind: "running";
  readonly name: string;
  readonly loaded: LoadedEntry;
}

export type ModelEntry = LocalEntry | HubEntry | RunningEntry;

/** An entry of the list, with the letters that match the filter. */
export interface FoundEntry {
  readonly entry: ModelEntry;
  /** Offsets in its name. */
  readonly matches: readonly number[];
}

/** Returns the entries of a list in its order. */
export function entriesOf(state: ModelsState, source: Source): readonly FoundEntry[] {
  const { local, hub, running, capacity, downloads, found, loading, choice, lists } = state;
  const { filter, sort } = lists[source];
  const wanted = filter.text.trim();
  if (source === "local") {
    const facts = [local.value, running.value, capacity.value] as const;
    return findLocal(localEntries(...facts, downloads, found, loading, choice, sort), wanted);
  }
  if (source === "running") return matching(runningEntries(running.value, sort), wanted);
  // The hub searches and sorts its list itself.
  return matching(hubEntries(hub.value, local.value, downloads), "");
}

/** Returns the selected entry; undefined in an empty list. Every command asks for it. */
export const selectedEntry = memoizeLast((state: ModelsState): ModelEntry | undefined => {
  const entries = entriesOf(state, state.source);
  return entries[selectedRow(state, entries)]?.entry;
});

/** Returns the index of the selected entry; -1 in an empty list. */
export function selectedRow(state: ModelsState, entries: readonly FoundEntry[]): number {
  return selectedIndex(state.lists[state.source].selected, namesOf(entries));
}

/** Names that the rows of a list are selected by. */
export function namesOf(entries: readonly FoundEntry[]): readonly string[] {
  return entries.map(({ entry }) => entry.name);
}

/**
 * Selects the model at the selected row by its name, so that it stays selected when others appear above it;
 * undefined if nothing changes.
 */
export function selectionFallback(state: ModelsState, source: Source): ListChoice | undefined {
  const list = state.lists[source];
  // A filter keeps the best match selected.
  if (list.filter.text !== "") return undefined;
  const selected = movedSelection(list.selected, namesOf(entriesOf(state, source)), 0);
  const { name, index } = list.selected;
  const isSame = selected.name === name && selected.index === index;
  return selected.name === undefined || isSame ? undefined : { ...list, selected };
}

export function downloadOf(entry: ModelEntry | undefined): Download | undefined {
  return entry === undefined || entry.kind === "running" ? undefined : entry.download;
}

export function isLoaded(entry: ModelEntry): boolean {
  return entry.kind === "running" || (entry.kind === "local" && entry.loaded !== undefined);
}

/** Returns why a model cannot be deleted or renamed; undefined for one in modelctl's store. */
export function readOnlyReason({
  name,
  store,
}: Pick<LocalModel, "name" | "store">): string | undefined {
  switch (store) {
    case "modelctl":
      return undefined;
    case "ollama":
      return `${name} is in Ollama's store, read-only here; run ollama rm ${name} to delete it`;
    case "lm-studio":
      return `${name} is in LM Studio's folder, read-only here; delete it in LM Studio`;
    default:
      return `${name} is built in and read-only; press c to copy it`;
  }
}

/** Returns installed models and downloads. Memoized, since most changes of the state change no list. */
const localEntries = memoizeLast(
  (
    models: readonly LocalModel[] = [],
    running: readonly LoadedEntry[] = [],
    capacity: Capacity | undefined,
    downloads: readonly Download[],
    found: readonly FoundFile[],
    loading: readonly LoadingModel[],
    choice: LoadChoice,
    sort: string,
  ): readonly LocalEntry[] => {
    const loadedByName = byName(running, ({ names }) => names);
    const loadingByName = byName(loading, ({ name }) => [name]);
    const downloadByName = byName(downloads, ({ name }) => [name]);
    const here = byName(models, ({ name }) => [name]);
    const coming = downloads
      .filter(({ name }) => !here.has(nameKey(name)))
      .map((download): LocalEntry => ({ kind: "local", name: download.name, download }));
    const entries = models.map((model): LocalEntry => {
      const key = nameKey(model.name);
      const loaded = loadedByName.get(key);
      return {
        kind: "local",
        name: model.name,
        model,
        loaded,
        loading: loadingByName.get(key),
        download: downloadByName.get(key),
        estimate:
          model.memory && capacity && estimateMemory(model.memory, capacity, choice, loaded),
      };
    });
    const files = found.map(
      (file): LocalEntry => ({ kind: "local", name: file.path, found: file }),
    );
    // Below the models, whatever their order.
    return [...sortLocal([...coming, ...entries], sort), ...files];
  },
);

/** Maps names to items; the first item wins a shared name. */
function byName<T>(
  items: readonly T[],
  namesOf: (item: T) => readonly string[],
): ReadonlyMap<string, T> {
  const pairs = items.flatMap((item) =>
    namesOf(item).map((name) => [nameKey(name), item] as const),
  );
  return new Map(pairs.toReversed());
}

function hubEntries(
  models: readonly HubModel[] = [],
  local: readonly LocalModel[] = [],
  downloads: readonly Download[],
): readonly HubEntry[] {
  return models.map((model) => {
    const isOfRepository = ({ name }: { readonly name: string }) =>
      name.toLowerCase().startsWith(`${model.name.toLowerCase()}:`);
    return {
      kind: "hub",
      name: model.name,
      model,
      installed: local.filter(isOfRepository).map(({ name }) => name),
      download: downloads.find((one) => isOfRepository(one) || isSameModel(one.name, model.name)),
    };
  });
}

function runningEntries(
  models: readonly LoadedEntry[] = [],
  sort: string,
): readonly RunningEntry[] {
  const entries = models.map((loaded) => ({ kind: "running", name: loaded.name, loaded }) as const);
  if (sort === "name") return entries.toSorted((one, other) => compare(one.name, other.name));
  if (sort === "size") return entries.toSorted((one, other) => other.loaded.size - one.loaded.size);
  // The server sorts them by the time that they stay loaded.
  return entries;
}

/** Returns the best matches first, equal ones in their order; all entries without a filter. */
function matching(entries: readonly ModelEntry[], wanted: string): FoundEntry[] {
  if (wanted === "") return entries.map((entry) => ({ entry, matches: [] }));
  // Threshold 0 lets qw3 find Qwen3-8B; limit 0 lifts the default of ten results.
  const results = fuzzysort.go(wanted, entries, { key: "name", threshold: 0, limit: 0 });
  const found = new Map(results.map((result) => [result.obj, result]));
  return entries
    .flatMap((entry) => found.get(entry) ?? [])
    .toSorted((one, other) => other.score - one.score)
    .map(({ obj, indexes }) => ({ entry: obj, matches: indexes }));
}

const findLocal = memoizeLast(matching);

const fitRank: Record<Fit, number> = { gpu: 0, cpu: 0, split: 1, none: 2 };

function sortLocal(entries: readonly LocalEntry[], sort: string): readonly LocalEntry[] {
  const time = ({ model }: LocalEntry) => model?.modifiedMs ?? Number.MAX_SAFE_INTEGER;
  const size = ({ model, download }: LocalEntry) => model?.sizeBytes ?? download?.totalBytes ?? 0;
  const rank = ({ estimate }: LocalEntry) => (estimate === undefined ? 3 : fitRank[estimate.fit]);
  const precedence = (one: LocalEntry, other: LocalEntry): number => {
    switch (sort) {
      case "name":
        return 0;
      case "size":
        return size(other) - size(one);
      case "fit":
        return rank(one) - rank(other) || size(other) - size(one);
      default:
        return time(other) - time(one);
    }
  };
  return entries.toSorted((one, other) => precedence(one, other) || compare(one.name, other.name));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
