// The request that is open in full: which one, how far it is scrolled, whether its lines are wrapped.

import type { RequestView } from "../../../client/requests.ts";
import type { StyledRow } from "../../frame/screen.ts";
import { keyOf } from "../../live/request-feed.ts";
import type { Glyphs } from "../../theme.ts";
import { type DetailTexts, detailRows } from "./request-detail.ts";

export interface OpenRequestOptions {
  readonly glyphs: Glyphs;
  /** The record as it is now; undefined once it is forgotten. */
  readonly find: (key: string) => RequestView | undefined;
  readonly textsOf: (view: RequestView) => DetailTexts;
}

export class OpenRequest {
  readonly #options: OpenRequestOptions;
  #opened: RequestView | undefined;
  #top = 0;
  #isWrapped = true;

  constructor(options: OpenRequestOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** The first row in sight. */
  get top(): number {
    return this.#top;
  }

  open(view: RequestView): void {
    this.#opened = view;
    this.#top = 0;
  }

  close(): void {
    this.#opened = undefined;
  }

  toggleWrap(): void {
    this.#isWrapped = !this.#isWrapped;
  }

  /** All rows; none while nothing is open. */
  rows(width: number): StyledRow[] {
    if (this.#opened === undefined) return [];
    const { find, textsOf, glyphs } = this.#options;
    const view = find(keyOf(this.#opened)) ?? this.#opened;
    return detailRows(view, textsOf(view), width, glyphs, this.#isWrapped);
  }

  /** @param height rows in sight */
  scroll(rows: number, size: { readonly width: number; readonly height: number }): void {
    const last = Math.max(0, this.rows(size.width).length - size.height);
    this.#top = Math.min(last, Math.max(0, this.#top + rows));
  }
}
