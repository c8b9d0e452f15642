// The entries of each list, filtered and ordered: what the table shows and what the keys act on.

import fuzzysort from "fuzzysort";
import type { LoadedEntry } from "../../../client/model-calls.ts";
import type { HubModel } from "../../../client/models-hub.ts";
import type { LocalModel } from "../../../client/models-store.ts";
import type { Download } from "./download.ts";
import { estimateMemory, type Fit, type MemoryEstimate } from "./memory-estimate.ts";
import { isSameModel } from "./model-name.ts";
import {
  findDownload,
  type ListChoice,
  type LoadingModel,
  type ModelsState,
  type Source,
} from "./models-state.ts";

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

/** Lists that were worked out already: keys, hints and the picture all ask for the same one. */
const known = new WeakMap<ModelsState, Partial<Record<Source, readonly FoundEntry[]>>>();

/** What the list of a source shows, in its order. */
export function entriesOf(state: ModelsState, source: Source): readonly FoundEntry[] {
  const lists = known.get(state) ?? {};
  known.set(state, lists);
  lists[source] ??= findEntries(state, source);
  return lists[source];
}

function findEntries(state: ModelsState, source: Source): readonly FoundEntry[] {
  const { filter, sort } = state.lists[source];
  switch (source) {
    case "local":
      return matching(sortLocal(localEntries(state), sort), filter.text);
    case "hub":
      // The hub has searched and ordered.
      return matching(hubEntries(state), "");
    case "running":
      return matching(sortRunning(runningEntries(state), sort), filter.text);
  }
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
  const entries = models.map((model): LocalEntry => {
    const loaded = running.value?.find(({ names }) =>
      names.some((name) => isSameModel(name, model.name)),
    );
    const held = loaded && { sizeBytes: loaded.size, vramBytes: loaded.size_vram };
    return {
      kind: "local",
      name: model.name,
      model,
      loaded,
      loading: loading.find(({ name }) => isSameModel(name, model.name)),
      download: findDownload(downloads, model.name),
      estimate:
        model.memory && capacity.value
          ? estimateMemory(model.memory, capacity.value, choice, held)
          : undefined,
    };
  });
  const coming = downloads
    .filter(({ name }) => !models.some((model) => isSameModel(model.name, name)))
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

/** Best first for the filter's letters; as it is without a filter. */
function matching(entries: readonly ModelEntry[], filter: string): FoundEntry[] {
  const wanted = filter.trim();
  if (wanted === "") return entries.map((entry) => ({ entry, matches: [] }));
  // Without the threshold, qw3 would not find Qwen3-8B.
  const found = fuzzysort.go(wanted, entries, { key: "name", threshold: 0 });
  return found.map((result) => ({ entry: result.obj, matches: [...result.indexes] }));
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
