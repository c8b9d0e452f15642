// Finds and runs commands by key or slash name, and shows why one failed.

import { describeError } from "../../base/product-error.ts";
import { findByKey, findBySlash, joinCommands } from "./command-lists.ts";
import type { frameCommands } from "./frame-commands.ts";
import type { BoundCommand, SlashName } from "./screen.ts";
import type { ScreenSwitcher } from "./screen-switcher.ts";

export class CommandRunner {
  readonly #screens: ScreenSwitcher;
  readonly #notify: (sentence: string) => void;
  #own: ReturnType<typeof frameCommands> = { reserved: [], yielding: [] };

  constructor(screens: ScreenSwitcher, notify: (sentence: string) => void) {
    this.#screens = screens;
    this.#notify = notify;
  }

  /** Sets the frame's own commands. */
  add(own: ReturnType<typeof frameCommands>): void {
    this.#own = own;
  }

  /** The current screen's commands and the frame's. */
  get current(): readonly BoundCommand[] {
    const { reserved, yielding } = this.#own;
    return joinCommands(this.#screens.current?.commands() ?? [], [...reserved, ...yielding]);
  }

  /** The frame's commands and those of every screen. */
  get all(): readonly BoundCommand[] {
    const { reserved, yielding } = this.#own;
    return [...reserved, ...yielding, ...this.#screens.all.flatMap((screen) => screen.commands())];
  }

  runKey(name: string): void {
    const command =
      findByKey(this.#own.reserved, name) ??
      findByKey(this.#screens.current?.commands() ?? [], name) ??
      findByKey(this.#own.yielding, name);
    if (command !== undefined) this.run(command, "");
  }

  /** @returns false for an unknown name */
  runSlash(line: string): boolean {
    const found = findBySlash(this.all, line);
    if (found === undefined) return false;
    this.run(found.command, found.argument);
    return true;
  }

  slashNames(): readonly SlashName[] {
    return this.all.flatMap(({ slash = [], title }) => slash.map((name) => ({ name, title })));
  }

  /** Runs a command; a notice says why it failed. */
  run(command: BoundCommand, argument: string): void {
    const notify = (sentence: string | undefined): void => {
      if (sentence !== undefined) this.#notify(sentence);
    };
    try {
      const outcome = command.run(argument);
      if (outcome instanceof Promise) {
        outcome.then(notify, (error: unknown) => notify(describeError(error)));
      } else notify(outcome);
    } catch (error) {
      notify(describeError(error));
    }
  }
}
