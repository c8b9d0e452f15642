// Interface of overlays: lists, questions and confirmations over a screen, which take all keys.

import type { KeyPress } from "../keys/key-name.ts";

export interface OverlayState {
  press(press: KeyPress): void;
  paste(text: string): void;
  /** Keys and words for the row of hints. */
  readonly hints: readonly (readonly [key: string, word: string])[];
  /** The program ends; a pending question is cancelled. */
  cancel(): void;
}

/** Callbacks to the opener of an overlay. */
export interface OverlayEvents<Answer> {
  readonly onChange: () => void;
  readonly onDone: (answer: Answer) => void;
}
