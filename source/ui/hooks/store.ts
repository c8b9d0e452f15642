// State outside React: written at any time, read at once, and React is told.

export class Store<State> {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The state of this moment; what was written a line ago is in it. */
  readonly get = (): State => this.#state;

  /** Replaces parts of the state and tells the listeners. */
  update(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
