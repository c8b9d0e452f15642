// State outside React: written at any time, readable at once, observed by React.

/** A source of changes with listeners. */
export class Observable {
  readonly #listeners = new Set<() => void>();

  /** For `useSyncExternalStore`. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls the listeners. */
  protected tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export class Store<State> extends Observable {
  #state: State;

  constructor(state: State) {
    super();
    this.#state = state;
  }

  /** Returns the current state; updates count at once. */
  readonly get = (): State => this.#state;

  /** Replaces parts of the state and calls the listeners. */
  update(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.tell();
  }
}
