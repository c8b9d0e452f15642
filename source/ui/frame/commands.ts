// Finds commands by key, by slash name or by typing, runs them, and shows why one failed.

import { describeError } from "../../base/product-error.ts";
import { findTyped } from "../../chat/commands/command.ts";
import {
  commandLineItems,
  commandOfItem,
  commandsByName,
  findByKey,
  helpItems,
  joinCommands,
  paletteItems,
  typedItem,
  withoutAlias,
} from "./command-lists.ts";
import type { FrameCommands } from "./frame-commands.ts";
import type { ListQuestion } from "./list-overlay.ts";
import type { Overlays } from "./overlays.ts";
import type { BoundCommand, SlashName } from "./screen.ts";
import type { ScreenSwitcher } from "./screen-switcher.ts";

/** Rows of commands that the palette shows at once. */
const paletteRows = 12;

/** These act on the terminal, even under a question. */
const terminalKeys = new Set(["Ctrl+L", "Ctrl+Z"]);

export class Commands {
  readonly #screens: ScreenSwitcher;
  readonly #overlays: Overlays;
  readonly #notify: (sentence: string) => void;
  #own: FrameCommands = { reserved: [], yielding: [] };

  constructor(screens: ScreenSwitcher, overlays: Overlays, notify: (sentence: string) => void) {
    this.#screens = screens;
    this.#overlays = overlays;
    this.#notify = notify;
  }

  /** Sets the frame's own commands. */
  add(own: FrameCommands): void {
    this.#own = own;
  }

  /** The current screen's commands and the frame's. */
  get current(): readonly BoundCommand[] {
    const { reserved, yielding } = this.#own;
    return joinCommands(this.#screens.commands, [...reserved, ...yielding]);
  }

  /** The frame's commands and those of every screen. */
  get #all(): readonly BoundCommand[] {
    const { reserved, yielding } = this.#own;
    return [...reserved, ...yielding, ...this.#screens.all.flatMap((screen) => screen.commands())];
  }

  /** Runs the command of a key: the open question's, else the screen's or the frame's. */
  runKey(name: string): void {
    const { top } = this.#overlays;
    const { reserved, yielding } = this.#own;
    const isAsked = top !== undefined && !terminalKeys.has(name);
    const commands = isAsked
      ? top.commands()
      : [...reserved, ...this.#screens.commands, ...yielding];
    const command = findByKey(commands, name);
    if (command !== undefined) this.#run(command, "");
  }

  /** @returns false for an unknown name */
  runSlash(line: string): boolean {
    const found = findTyped(this.#all, line);
    if (found === undefined) return false;
    this.#run(found.command, found.argument);
    return true;
  }

  slashNames(): readonly SlashName[] {
    const named = commandsByName([...this.current, ...this.#all]);
    return [...named].map(([name, { title }]) => ({ name, title }));
  }

  openPalette(): void {
    const { all, current } = this.#screens;
    const others = all.filter((screen) => screen !== current);
    const items = paletteItems(this.current, others);
    void this.#search({ title: "Commands", items, rowsMaximum: paletteRows, hidesDim: true });
  }

  openCommandLine(): void {
    const items = commandLineItems([...this.current, ...this.#all]);
    void this.#search({ title: "Command line", items, rowsMaximum: paletteRows }, withoutAlias);
  }

  openHelp(): void {
    const title = `Help: ${this.#screens.current?.title ?? ""}`;
    void this.#search({ title, items: helpItems(this.current) });
  }

  /** @param expand turns the typed text into a line that names a command */
  async #search(
    question: Omit<ListQuestion, "verb" | "typed">,
    expand: (text: string) => string = (text) => text,
  ): Promise<void> {
    const { current } = this;
    // The current screen's commands come first: its names win over those of other screens.
    const all = [...current, ...this.#all];
    const typed = (text: string) => typedItem(all, expand(text));
    const chosen = await this.#overlays.list({ ...question, verb: "run", typed });
    const found = chosen === undefined ? undefined : commandOfItem(all, chosen);
    if (found === undefined) return;
    const isElsewhere = !current.some(({ id }) => id === found.command.id);
    await this.#runChosen(found.command, found.argument, isElsewhere);
  }

  /** @param isElsewhere the command belongs to another screen, which is opened to show its effect */
  async #runChosen(command: BoundCommand, argument: string, isElsewhere: boolean): Promise<void> {
    if (isElsewhere && !command.isValid()) {
      this.#screens.openOwner(command);
      if (!command.isValid()) return this.#notify(`Not available now: ${command.title}`);
    }
    const words = argument !== "" ? argument : await this.#askArgument(command);
    if (words === undefined) return;
    if (isElsewhere) this.#screens.openOwner(command);
    this.#run(command, words);
  }

  /** Asks for the argument of a command that needs one. @returns undefined when cancelled */
  async #askArgument({ slash, slashArguments }: BoundCommand): Promise<string | undefined> {
    // Arguments in brackets are optional.
    if (slashArguments === undefined || slashArguments.startsWith("[")) return "";
    return await this.#overlays.ask(`${slash?.[0] ?? ""} ${slashArguments}`);
  }

  /** Runs a command; a notice says why it failed. */
  #run(command: BoundCommand, argument: string): void {
    const notify = (sentence: string | undefined): void => {
      if (sentence !== undefined) this.#notify(sentence);
    };
    const fail = (error: unknown) => notify(describeError(error));
    try {
      const outcome = command.run(argument);
      if (outcome instanceof Promise) outcome.then(notify, fail);
      else notify(outcome);
    } catch (error) {
      fail(error);
    }
  }
}
