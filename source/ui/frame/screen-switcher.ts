// The screens behind the tabs, and the one in front.

import type { BoundCommand, Screen } from "./screen.ts";

export class ScreenSwitcher {
  readonly #onChange: () => void;
  #screens: readonly Screen[] = [];
  #current: Screen | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Adds the screens; none is open yet. */
  add(screens: readonly Screen[]): void {
    this.#screens = screens;
    for (const screen of screens) {
      screen.subscribe(() => {
        // Changes of a hidden screen are painted when it opens.
        if (screen === this.#current) this.#onChange();
      });
    }
  }

  get all(): readonly Screen[] {
    return this.#screens;
  }

  get current(): Screen | undefined {
    return this.#current;
  }

  /** Commands of the current screen. */
  get commands(): readonly BoundCommand[] {
    return this.#current?.commands() ?? [];
  }

  get isTyping(): boolean {
    return this.#current?.isTyping() ?? false;
  }

  open(id: Screen["id"], argument?: string): void {
    const screen = this.#screens.find((candidate) => candidate.id === id);
    if (screen === undefined) return;
    if (screen !== this.#current) {
      this.#current?.deactivate();
      this.#current = screen;
      screen.activate();
      this.#onChange();
    }
    if (argument !== undefined) screen.accept?.(argument);
  }

  /** Opens the screen that has the command. */
  openOwner({ id }: BoundCommand): void {
    const owner = this.#screens.find((screen) =>
      screen.commands().some((command) => command.id === id),
    );
    if (owner !== undefined) this.open(owner.id);
  }
}
