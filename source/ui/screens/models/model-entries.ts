// The entries of each list, filtered and ordered, and the selected one that keys act on.

import fuzzysort from "fuzzysort";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import type { HubModel } from "../../../client/models-hub.ts";
import type { LocalModel } from "../../../client/models-store.ts";
import type { Download } from "./download.ts";
import { estimateMemory, type Fit, type MemoryEstimate } from "./estimate.ts";
import { isSameModel, nameKey } from "./model-name.ts";
import type { ListChoice, LoadingModel, ModelsState, Source } from "./models-state.ts";

/** A model on this machine, or one that is being downloaded. */
export interface LocalEntry {
  readonly kind: "local";
  readonly name: string;
  /** Undefined while it is being downloaded for the first time. */
  readonly model: LocalModel | undefined;
  readonly loaded: LoadedEntry | undefined;
  readonly loading: LoadingModel | undefined;
  readonly download: Download | undefined;
  /** Undefined while the server has not told enough. */
  readonly estimate: MemoryEstimate | undefined;
}

export interface HubEntry {
  readonly kind: "hub";
  readonly name: string;
  readonly model: HubModel;
  /** Names under which something of the repository is on this machine. */
  readonly installed: readonly string[];
  readonly download: Download | undefined;
}

export interface RunningEntry {
  readonly kind: "running";
  readonly name: string;
  readonly loaded: LoadedEntry;
}

export type ModelEntry = LocalEntry | HubEntry | RunningEntry;

/** An entry of the list with the letters that the filter has found. */
export interface FoundEntry {
  readonly entry: ModelEntry;
  /** Offsets in its name. */
  readonly matches: readonly number[];
}

/** A list with everything that it was made from. */
interface CachedList {
  readonly from: readonly unknown[];
  readonly ordered: readonly ModelEntry[];
  readonly filter: string;
  readonly found: readonly FoundEntry[];
}

/** By the server's list: most changes of the state change no list. */
const cache = new WeakMap<object, CachedList>();
const nothingListed: readonly never[] = [];

/** The entries that the list of a source shows, in its order. */
export function entriesOf(state: ModelsState, source: Source): readonly FoundEntry[] {
  const { filter, sort } = state.lists[source];
  // The hub searches and orders its list itself.
  const wanted = source === "hub" ? "" : filter.text.trim();
  const listed = state[source].value ?? nothingListed;
  const from = [source, sort, ...sourcesOf(state, source)];
  const before = cache.get(listed);
  const isSame = before !== undefined && from.every((value, at) => value === before.from[at]);
  if (isSame && before.filter === wanted) return before.found;
  const ordered = isSame ? before.ordered : orderedEntries(state, source, sort);
  const found = matching(ordered, wanted);
  cache.set(listed, { from, ordered, filter: wanted, found });
  return found;
}

/** The parts of the state that a list is made from, beside the server's list. */
function sourcesOf(state: ModelsState, source: Source): readonly unknown[] {
  const { local, running, capacity, downloads, loading, choice } = state;
  if (source === "running") return [running.value];
  if (source === "hub") return [local.value, downloads];
  return [local.value, running.value, capacity.value, downloads, loading, choice];
}

function orderedEntries(state: ModelsState, source: Source, sort: string): readonly ModelEntry[] {
  if (source === "hub") return hubEntries(state);
  if (source === "running") return sortRunning(runningEntries(state), sort);
  return sortLocal(localEntries(state), sort);
}

/** Every command asks for it, after every change. */
const selectedByState = new WeakMap<ModelsState, { readonly entry: ModelEntry | undefined }>();

/** The entry that keys act on; undefined in an empty list. */
export function selectedEntry(state: ModelsState): ModelEntry | undefined {
  const cached = selectedByState.get(state);
  if (cached !== undefined) return cached.entry;
  const entries = entriesOf(state, state.source);
  const entry = entries[selectedIndex(state, entries)]?.entry;
  selectedByState.set(state, { entry });
  return entry;
}

/** The place of the selected entry; 0 where the list no longer has it. */
export function selectedIndex(state: ModelsState, entries: readonly FoundEntry[]): number {
  const { selected } = state.lists[state.source];
  const at = entries.findIndex(({ entry }) => entry.name === selected);
  return Math.max(0, at);
}

/**
 * Holds the selection on its model when another comes in above it; undefined where it is held already.
 */
export function settledSelection(state: ModelsState, source: Source): ListChoice | undefined {
  const list = state.lists[source];
  // A filter keeps the best match selected.
  if (list.filter.text !== "") return undefined;
  const entries = entriesOf(state, source);
  if (entries.some(({ entry }) => entry.name === list.selected)) return undefined;
  const [first] = entries;
  return first === undefined ? undefined : { ...list, selected: first.entry.name };
}

export function downloadOf(entry: ModelEntry | undefined): Download | undefined {
  return entry === undefined || entry.kind === "running" ? undefined : entry.download;
}

export function isLoaded(entry: ModelEntry): boolean {
  return entry.kind === "running" || (entry.kind === "local" && entry.loaded !== undefined);
}

/** Says why a model cannot be deleted or renamed; undefined for one of our own store. */
export function readOnlyReason({
  name,
  store,
}: Pick<LocalModel, "name" | "store">): string | undefined {
  switch (store) {
    case "modelctl":
      return undefined;
    case "ollama":
      return `${name} is in Ollama's store, which is only read here: ollama rm ${name} deletes it`;
    case "lm-studio":
      return `${name} is in LM Studio's folder, which is only read here: delete it there`;
    default:
      return `${name} comes with the program and stays; c makes a copy under a name of yours`;
  }
}

/** The models of this machine and those being downloaded, unordered. */
function localEntries(state: ModelsState): LocalEntry[] {
  const { downloads, running, loading, capacity, choice } = state;
  const models = state.local.value ?? [];
  const loadedByName = byName(running.value ?? [], ({ names }) => names);
  const loadingByName = byName(loading, ({ name }) => [name]);
  const downloadByName = byName(downloads, ({ name }) => [name]);
  const entries = models.map((model): LocalEntry => {
    const key = nameKey(model.name);
    const loaded = loadedByName.get(key);
    const held = loaded && {
      sizeBytes: loaded.size,
      vramBytes: loaded.size_vram,
      contextLength: loaded.context_length,
      slots: loaded.slots,
    };
    return {
      kind: "local",
      name: model.name,
      model,
      loaded,
      loading: loadingByName.get(key),
      download: downloadByName.get(key),
      estimate:
        model.memory && capacity.value
          ? estimateMemory(model.memory, capacity.value, choice, held)
          : undefined,
    };
  });
  const here = byName(models, ({ name }) => [name]);
  const coming = downloads
    .filter(({ name }) => !here.has(nameKey(name)))
    .map(
      (download): LocalEntry => ({
        kind: "local",
        name: download.name,
        model: undefined,
        loaded: undefined,
        loading: undefined,
        download,
        estimate: undefined,
      }),
    );
  return [...coming, ...entries];
}

/** A name that two items have belongs to the first. */
function byName<T>(
  items: readonly T[],
  namesOf: (item: T) => readonly string[],
): ReadonlyMap<string, T> {
  const pairs = items.flatMap((item) =>
    namesOf(item).map((name) => [nameKey(name), item] as const),
  );
  return new Map(pairs.toReversed());
}

function hubEntries({ hub, local, downloads }: ModelsState): HubEntry[] {
  return (hub.value ?? []).map((model) => {
    const isOfRepository = (name: string) =>
      name.toLowerCase().startsWith(`${model.name.toLowerCase()}:`);
    return {
      kind: "hub",
      name: model.name,
      model,
      installed: (local.value ?? []).map(({ name }) => name).filter(isOfRepository),
      download: downloads.find(({ name }) => isOfRepository(name) || isSameModel(name, model.name)),
    };
  });
}

function runningEntries({ running }: ModelsState): RunningEntry[] {
  return (running.value ?? []).map((loaded) => ({ kind: "running", name: loaded.name, loaded }));
}

/** The best matches first, equal ones in their order; all entries without a filter. */
function matching(entries: readonly ModelEntry[], wanted: string): FoundEntry[] {
  if (wanted === "") return entries.map((entry) => ({ entry, matches: [] }));
  // Without the threshold, qw3 would not find Qwen3-8B; without the limit, ten are all that is found.
  const found = fuzzysort.go(wanted, entries, { key: "name", threshold: 0, limit: 0 });
  const places = new Map(entries.map((entry, at) => [entry, at]));
  const placeOf = (entry: ModelEntry) => places.get(entry) ?? 0;
  return found
    .toSorted((one, other) => other.score - one.score || placeOf(one.obj) - placeOf(other.obj))
    .map((result) => ({
      entry: result.obj,
      // Copied for the rows in sight only.
      get matches() {
        return [...result.indexes];
      },
    }));
}

const fitRank: Record<Fit, number> = { gpu: 0, cpu: 0, split: 1, none: 2 };

function sortLocal(entries: readonly LocalEntry[], sort: string): LocalEntry[] {
  const byName = (one: LocalEntry, other: LocalEntry) => compare(one.name, other.name);
  const newest = (entry: LocalEntry) => entry.model?.modifiedMs ?? Number.POSITIVE_INFINITY;
  const size = (entry: LocalEntry) => entry.model?.sizeBytes ?? entry.download?.totalBytes ?? 0;
  const rank = ({ estimate }: LocalEntry) => (estimate === undefined ? 3 : fitRank[estimate.fit]);
  switch (sort) {
    case "name":
      return entries.toSorted(byName);
    case "size":
      return entries.toSorted((one, other) => size(other) - size(one) || byName(one, other));
    case "fit":
      return entries.toSorted(
        (one, other) => rank(one) - rank(other) || size(other) - size(one) || byName(one, other),
      );
    default:
      return entries.toSorted((one, other) => {
        const [first, second] = [newest(one), newest(other)];
        return first === second ? byName(one, other) : second - first;
      });
  }
}

function sortRunning(entries: readonly RunningEntry[], sort: string): RunningEntry[] {
  if (sort === "name") return entries.toSorted((one, other) => compare(one.name, other.name));
  if (sort === "size") return entries.toSorted((one, other) => other.loaded.size - one.loaded.size);
  // The server lists those first that stay longest.
  return [...entries];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
