// Overlays lie over a screen and take all keys: a list, a question, a request for a yes.

import type { KeyPress } from "../keys/key-name.ts";

export interface OverlayState {
  press(press: KeyPress): void;
  paste(text: string): void;
  /** Keys and words for the row of hints. */
  readonly hints: readonly (readonly [key: string, word: string])[];
  /** The program ends: whoever waits for an answer gets none. */
  cancel(): void;
}

/** Who opened an overlay hears of these. */
export interface OverlayEvents<Answer> {
  readonly onChange: () => void;
  readonly onDone: (answer: Answer) => void;
}
