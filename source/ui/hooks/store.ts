// State outside React: written at any time, read at once, and React is told.

/** Something that changes, and those who want to know. */
export class Observable {
  readonly #listeners = new Set<() => void>();

  /** For `useSyncExternalStore`. @returns stops it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Tells the listeners of a change. */
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

  /** The state of this moment; what was written a line ago is in it. */
  readonly get = (): State => this.#state;

  /** Replaces parts of the state and tells the listeners. */
  update(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.tell();
  }
}
