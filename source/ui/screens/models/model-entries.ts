// The entries of each list, filtered and ordered: what the table shows and what the keys act on.

import fuzzysort from "fuzzysort";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import type { HubModel } from "../../../client/models-hub.ts";
import type { LocalModel } from "../../../client/models-store.ts";
import type { Download } from "./download.ts";
import { estimateMemory, type Fit, type MemoryEstimate } from "./memory-estimate.ts";
import { isSameModel, sameName } from "./model-name.ts";
import type { ListChoice, LoadingModel, ModelsState, Source } from "./models-state.ts";

/** A model on this machine, or one that is on its way here. */
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

/** An entry of the list, and which letters of its name the filter has found. */
export interface FoundEntry {
  readonly entry: ModelEntry;
  /** Offsets in its name. */
  readonly matches: readonly number[];
}

/** A list that was worked out, and from what. */
interface WorkedOut {
  readonly from: readonly unknown[];
  readonly ordered: readonly ModelEntry[];
  readonly filter: string;
  readonly found: readonly FoundEntry[];
}

/** By what the server has listed: most changes of the state change no list. */
const known = new WeakMap<object, WorkedOut>();
const nothingListed: readonly never[] = [];

/** What the list of a source shows, in its order. */
export function entriesOf(state: ModelsState, source: Source): readonly FoundEntry[] {
  const { filter, sort } = state.lists[source];
  // The hub has searched and ordered.
  const wanted = source === "hub" ? "" : filter.text.trim();
  const listed = state[source].value ?? nothingListed;
  const from = [source, sort, ...sourcesOf(state, source)];
  const before = known.get(listed);
  const isSame = before !== undefined && from.every((value, at) => value === before.from[at]);
  if (isSame && before.filter === wanted) return before.found;
  const ordered = isSame ? before.ordered : orderedEntries(state, source, sort);
  const found = matching(ordered, wanted);
  known.set(listed, { from, ordered, filter: wanted, found });
  return found;
}

/** All that a list is made of, beside what the server has listed. */
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

/** The entry that keys act on; undefined in an empty list. */
export function selectedEntry(state: ModelsState): ModelEntry | undefined {
  const entries = entriesOf(state, state.source);
  return entries[selectedIndex(state, entries)]?.entry;
}

/** Where the selection is; the first entry when what was selected is gone. */
export function selectedIndex(state: ModelsState, entries: readonly FoundEntry[]): number {
  const { selected } = state.lists[state.source];
  const at = entries.findIndex(({ entry }) => entry.name === selected);
  return Math.max(0, at);
}

/**
 * Holds on to the model that keys act on, so that one that comes in above it does not take its place;
 * undefined where that is settled already.
 */
export function settledSelection(state: ModelsState, source: Source): ListChoice | undefined {
  const list = state.lists[source];
  // While letters are typed, the best match is meant.
  if (list.filter.text !== "") return undefined;
  const entries = entriesOf(state, source);
  if (entries.some(({ entry }) => entry.name === list.selected)) return undefined;
  const [first] = entries;
  return first === undefined ? undefined : { ...list, selected: first.entry.name };
}

/** Everything on this machine and on its way here, in no order. */
function localEntries(state: ModelsState): LocalEntry[] {
  const { downloads, running, loading, capacity, choice } = state;
  const models = state.local.value ?? [];
  const loadedByName = byName(running.value ?? [], ({ names }) => names);
  const loadingByName = byName(loading, ({ name }) => [name]);
  const downloadByName = byName(downloads, ({ name }) => [name]);
  const entries = models.map((model): LocalEntry => {
    const key = sameName(model.name);
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
    .filter(({ name }) => !here.has(sameName(name)))
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

/** The first one wins a name that two have. */
function byName<T>(
  items: readonly T[],
  namesOf: (item: T) => readonly string[],
): ReadonlyMap<string, T> {
  const pairs = items.flatMap((item) =>
    namesOf(item).map((name) => [sameName(name), item] as const),
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

/** Best first for the filter's letters, those that fit as well in their order; all without letters. */
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
      // Of those in sight only.
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
  return [...entries]; // as the server lists them, those that stay longest first
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
