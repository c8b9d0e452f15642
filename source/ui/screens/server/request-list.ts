// State of the request list: filters, pause and selection, which are independent.

import { memoizeLast } from "../../../base/memoize-last.ts";
import { describeError } from "../../../base/product-error.ts";
import { ownAgent } from "../../../client/api-client.ts";
import { keyOf } from "../../../client/live/request-feed.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import { lastRow, type Selection, selectedIndex } from "../../components/list-state.ts";

/** Reads a filter such as `status:5xx model:tiny`. @throws with a sentence for an invalid one */
export type ReadFilter = (text: string) => IsShown;

type IsShown = (view: RequestRecord) => boolean;

/** Status classes in the order of the key that cycles them. */
const statusClasses = ["all", "running", "ok", "cancelled", "4xx", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

export interface ListFilters {
  /** In the syntax of the log's filters. */
  readonly text: string;
  readonly status: StatusClass;
  readonly model: string | undefined;
}

export interface RequestListState {
  readonly filters: ListFilters;
  /** Also shows the requests of modelctl's own screens. */
  readonly showsOwn: boolean;
  /** All filters combined. */
  readonly isShown: IsShown;
  /** Error in the filter's text; the last valid filter stays active. */
  readonly filterProblem: string | undefined;
  /** The requests at the time of the pause; undefined while not paused. */
  readonly frozen: readonly RequestRecord[] | undefined;
  /** Follows the newest request if it names none, or one that is not shown. */
  readonly selection: Selection;
}

/** The part of the log that the table shows. */
export interface ListedRequests {
  /** Requests that pass the filters, oldest first. */
  readonly shown: readonly RequestRecord[];
  /** -1 in an empty list. */
  readonly selectedIndex: number;
  readonly selected: RequestRecord | undefined;
  /** Number of requests before filters, without modelctl's hidden ones. */
  readonly total: number;
}

export const noFilters: ListFilters = { text: "", status: "all", model: undefined };

const showAll: IsShown = () => true;

export const initialRequestList: RequestListState = {
  filters: noFilters,
  showsOwn: false,
  isShown: showAll,
  filterProblem: undefined,
  frozen: undefined,
  selection: lastRow,
};

/** Paths that users request through modelctl; its screens poll the others. */
const askingPaths = new Set(["/api/chat", "/api/generate", "/api/embed"]);

function isOwn({ client, path }: RequestRecord): boolean {
  return client.agent === ownAgent && !askingPaths.has(path);
}

/**
 * Every command and component asks for it, and the log may have thousands of entries.
 *
 * @param entries oldest first
 */
export const listRequests = memoizeLast(
  (list: RequestListState, entries: readonly RequestRecord[]): ListedRequests => {
    const { isShown, frozen = entries, selection, showsOwn } = list;
    const listed = showsOwn ? frozen : frozen.filter((view) => !isOwn(view));
    const shown = listed.filter(isShown);
    const at = selectedIndex(selection, shown.map(keyOf));
    return { shown, selectedIndex: at, selected: shown[at], total: listed.length };
  },
);

/** Counts the new requests since the pause. */
export function countNewRequests(
  { frozen, showsOwn }: RequestListState,
  entries: readonly RequestRecord[],
): number {
  if (frozen === undefined) return 0;
  const newest = frozen.at(-1)?.startedAt ?? 0;
  return entries.filter((view) => view.startedAt > newest && (showsOwn || !isOwn(view))).length;
}

/** Changes filters; the selected row stays where it is if it is still shown. */
export function changeFilters(
  list: RequestListState,
  change: Partial<ListFilters>,
  readFilter: ReadFilter,
): Pick<RequestListState, "filters" | "isShown" | "filterProblem"> {
  const filters = { ...list.filters, ...change };
  const { text, status, model } = filters;
  const terms = [
    text.replaceAll(/(^|\s)!(?=\S)/g, "$1-"),
    status === "all" ? "" : `status:${status}`,
    model === undefined ? "" : `model:"${model.replaceAll('"', "")}"`,
  ];
  const line = terms.filter((term) => term.trim() !== "").join(" ");
  try {
    const isShown = line === "" ? showAll : readFilter(line);
    return { filters, isShown, filterProblem: undefined };
  } catch (error) {
    return { filters, isShown: list.isShown, filterProblem: describeError(error) };
  }
}

export function nextStatusClass(status: StatusClass): StatusClass {
  return statusClasses[(statusClasses.indexOf(status) + 1) % statusClasses.length] ?? "all";
}

/** Selects another row; past the newest one the selection follows new requests. */
export function moveSelection(
  { shown, selectedIndex: at }: ListedRequests,
  rows: number,
): Pick<RequestListState, "selection"> {
  const view = shown[Math.max(0, at + rows)];
  const isFollowing = view === undefined || at + rows >= shown.length - 1;
  return { selection: isFollowing ? lastRow : rowAt(view) };
}

/** Selects a request; without it, the newest. */
export function rowAt(view: RequestRecord): Selection {
  return { ...lastRow, name: keyOf(view) };
}

/** True if the newest request is selected, whichever that is. */
export function isFollowing({ selection }: RequestListState): boolean {
  return selection.name === undefined;
}

/** Returns the current state of a request, or its last known one if the log dropped it. */
export function currentRequest(
  entries: readonly RequestRecord[],
  before: RequestRecord,
): RequestRecord {
  const { id, startedAt } = before;
  return entries.find((view) => view.id === id && view.startedAt === startedAt) ?? before;
}

export function requestedModels(entries: readonly RequestRecord[]): readonly string[] {
  const names = entries.flatMap(({ model }) => (model === undefined ? [] : [model]));
  return [...new Set(names)].sort();
}
