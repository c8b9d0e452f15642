// Which requests the table shows: filters, pause, the row that keys act on; all independent.

import { describeError } from "../../../base/product-error.ts";
import type { RequestView } from "../../../client/requests.ts";
import { keyOf } from "../../live/request-feed.ts";

/** Reads a filter such as `status:5xx model:tiny`. @throws with a sentence for one without sense */
export type ReadFilter = (text: string) => (view: RequestView) => boolean;

/** Classes of status, in the order in which a key walks through them. */
export const statusClasses = ["all", "running", "ok", "4xx", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

export interface ListFilters {
  /** In the language of the log's filters. */
  readonly text: string;
  readonly status: StatusClass;
  readonly model: string | undefined;
}

const keepAll = () => true;

export class RequestList {
  readonly #readFilter: ReadFilter;
  #filters: ListFilters = { text: "", status: "all", model: undefined };
  #isShown: (view: RequestView) => boolean = keepAll;
  /** Why the text is no filter; the one before stays in force. */
  #problem: string | undefined;
  /** The requests as they were when the list was paused. */
  #frozen: readonly RequestView[] | undefined;
  /** The row that keys act on; undefined follows the newest. */
  #selectedKey: string | undefined;
  #source: readonly RequestView[] = [];
  #shown: readonly RequestView[] | undefined;

  constructor(readFilter: ReadFilter) {
    this.#readFilter = readFilter;
  }

  get filters(): ListFilters {
    return this.#filters;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get isPaused(): boolean {
    return this.#frozen !== undefined;
  }

  get isFollowing(): boolean {
    return this.#selectedKey === undefined;
  }

  /** Requests that have come since the pause. */
  get missed(): number {
    const newest = this.#frozen?.at(-1)?.startedAt ?? 0;
    if (this.#frozen === undefined) return 0;
    const at = this.#source.findIndex(({ startedAt }) => startedAt > newest);
    return at === -1 ? 0 : this.#source.length - at;
  }

  get total(): number {
    return this.#source.length;
  }

  /** @param entries oldest first */
  setSource(entries: readonly RequestView[]): void {
    if (entries === this.#source) return;
    this.#source = entries;
    if (this.#frozen === undefined) this.#shown = undefined;
  }

  /** What the filters leave, oldest first. */
  get shown(): readonly RequestView[] {
    this.#shown ??= (this.#frozen ?? this.#source).filter(this.#isShown);
    return this.#shown;
  }

  get selectedIndex(): number {
    const { shown } = this;
    if (this.#selectedKey === undefined) return shown.length - 1;
    const at = shown.findIndex((view) => keyOf(view) === this.#selectedKey);
    return at === -1 ? shown.length - 1 : at;
  }

  get selected(): RequestView | undefined {
    return this.shown[this.selectedIndex];
  }

  /** Changes filters; the selected row stays where it is if it is still shown. */
  setFilters(change: Partial<ListFilters>): void {
    const filters = { ...this.#filters, ...change };
    const { text, status, model } = filters;
    const terms = [
      text.replaceAll(/(^|\s)!(?=\S)/g, "$1-"),
      status === "all" ? "" : `status:${status}`,
      model === undefined ? "" : `model:"${model.replaceAll('"', "")}"`,
    ];
    this.#filters = filters;
    try {
      const line = terms.filter((term) => term.trim() !== "").join(" ");
      this.#isShown = line === "" ? keepAll : this.#readFilter(line);
      this.#problem = undefined;
    } catch (error) {
      this.#problem = describeError(error);
    }
    this.#shown = undefined;
  }

  nextStatusClass(): void {
    const at = statusClasses.indexOf(this.#filters.status);
    this.setFilters({ status: statusClasses[(at + 1) % statusClasses.length] ?? "all" });
  }

  togglePause(): void {
    this.#frozen = this.#frozen === undefined ? this.#source : undefined;
    this.#shown = undefined;
  }

  move(delta: number): void {
    const { shown } = this;
    const wanted = this.selectedIndex + delta;
    const view = shown[Math.min(shown.length - 1, Math.max(0, wanted))];
    this.#selectedKey = view === undefined || wanted >= shown.length - 1 ? undefined : keyOf(view);
  }

  follow(): void {
    this.#selectedKey = undefined;
  }

  /** Keeps the selected row where it is, however many come. */
  anchor(): void {
    const { selected } = this;
    if (selected !== undefined) this.#selectedKey = keyOf(selected);
  }

  /** Models that were asked, for choosing one. */
  get models(): readonly string[] {
    const names = this.#source.flatMap(({ model }) => (model === undefined ? [] : [model]));
    return [...new Set(names)].sort();
  }
}
