// What may lie over a screen and takes all keys: a list, a question, a request for a yes.

import type { KeyPress } from "../keys/key-name.ts";
import type { BodySize, StyledRow } from "./screen.ts";

export interface OverlayPicture {
  /** Rows of one width. */
  readonly rows: readonly StyledRow[];
  /** Where in the body they lie. */
  readonly x: number;
  readonly y: number;
  /** Inside the body. */
  readonly cursor?: { readonly x: number; readonly y: number };
}

export interface Overlay {
  press(press: KeyPress): void;
  paste(text: string): void;
  picture(size: BodySize): OverlayPicture;
  /** Keys and words for the row of hints. */
  readonly hints: readonly (readonly [key: string, word: string])[];
  /** For screen readers: the question, or what is selected. */
  readerLines(): readonly string[];
  /** The program ends: whoever waits for an answer gets none. */
  cancel(): void;
}
