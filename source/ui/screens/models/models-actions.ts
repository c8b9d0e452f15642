// What the commands of the models screen know and what they act on.

import type { ModelEntry } from "./model-entries.ts";
import type { ModelsState } from "./models-state.ts";

/** What decides which keys are valid now. */
export interface ModelsSituation {
  readonly state: ModelsState;
  readonly entry: ModelEntry | undefined;
}

/** What changes the view alone. */
export interface ViewActions {
  move(step: ListStep): void;
  changeSource(step: -1 | 1): void;
  openFilter(): void;
  keepFilter(): void;
  back(): void;
  changePane(): void;
  changeSort(): void;
  changeWindow(step: -1 | 1 | undefined): void;
  changeCacheType(): void;
}

/** What is done with models. */
export interface WorkActions {
  enter(): Outcome;
  toggleLoad(): Outcome;
  pull(reference: string): Outcome;
  pauseOrResume(): Outcome;
  cancel(): Outcome;
  copy(): Outcome;
  rename(): Outcome;
  editModelfile(): Outcome;
  chooseQuantization(): Outcome;
  remove(): Outcome;
  copyName(): Outcome;
  showCard(): Outcome;
  retry(): Outcome;
}

export type ListStep =
  | { readonly kind: "rows"; readonly delta: number }
  | { readonly kind: "pages"; readonly delta: -1 | 1 }
  | { readonly kind: "edge"; readonly edge: "first" | "last" };

export type Outcome = string | undefined | Promise<string | undefined>;

/** What the commands act on. */
export interface ModelsActions {
  readonly view: ViewActions;
  readonly work: WorkActions;
}
