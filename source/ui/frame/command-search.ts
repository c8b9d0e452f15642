// Commands found by typing: palette, command line and help.

import {
  commandLineItems,
  commandOfItem,
  helpItems,
  paletteItems,
  typedItem,
  withoutAlias,
} from "./command-lists.ts";
import type { CommandRunner } from "./command-runner.ts";
import type { ListQuestion } from "./list-overlay.ts";
import type { Overlays } from "./overlays.ts";
import type { BoundCommand } from "./screen.ts";
import type { ScreenSwitcher } from "./screen-switcher.ts";

/** Rows of commands that the palette shows at once. */
const paletteRows = 12;

interface CommandSearchParts {
  readonly screens: ScreenSwitcher;
  readonly commands: CommandRunner;
  readonly overlays: Overlays;
  readonly notify: (sentence: string) => void;
}

export class CommandSearch {
  readonly #parts: CommandSearchParts;

  constructor(parts: CommandSearchParts) {
    this.#parts = parts;
  }

  openPalette(): void {
    const { screens, commands } = this.#parts;
    const others = screens.all.filter((screen) => screen !== screens.current);
    const items = paletteItems(commands.current, others);
    void this.#search({ title: "Commands", items, rowsMaximum: paletteRows, hidesDim: true });
  }

  openCommandLine(): void {
    const { current, all } = this.#parts.commands;
    const items = commandLineItems([...current, ...all]);
    void this.#search({ title: "Command line", items, rowsMaximum: paletteRows }, withoutAlias);
  }

  openHelp(): void {
    const { screens, commands } = this.#parts;
    const title = `Help: ${screens.current?.title ?? ""}`;
    void this.#search({ title, items: helpItems(commands.current) });
  }

  /** @param expand turns the typed text into a line that names a command */
  async #search(
    question: Omit<ListQuestion, "verb" | "typed">,
    expand: (text: string) => string = (text) => text,
  ): Promise<void> {
    const { commands, overlays } = this.#parts;
    const { current } = commands;
    // The current screen's commands come first: its names win over those of other screens.
    const all = [...current, ...commands.all];
    const typed = (text: string) => typedItem(all, expand(text));
    const chosen = await overlays.list({ ...question, verb: "run", typed });
    const found = chosen === undefined ? undefined : commandOfItem(all, chosen);
    if (found === undefined) return;
    const isElsewhere = !current.some(({ id }) => id === found.command.id);
    await this.#run(found.command, found.argument, isElsewhere);
  }

  /** @param isElsewhere the command belongs to another screen, which is opened to show its effect */
  async #run(command: BoundCommand, argument: string, isElsewhere: boolean): Promise<void> {
    const { screens, commands, notify } = this.#parts;
    if (isElsewhere && !command.isValid()) {
      screens.openOwner(command);
      if (!command.isValid()) return notify(`Not available now: ${command.title}`);
    }
    const words = argument !== "" ? argument : await this.#askArgument(command);
    if (words === undefined) return;
    if (isElsewhere) screens.openOwner(command);
    commands.run(command, words);
  }

  /** Asks for the argument of a command that needs one. @returns undefined when cancelled */
  async #askArgument({ slash, slashArguments }: BoundCommand): Promise<string | undefined> {
    // Arguments in brackets are optional.
    if (slashArguments === undefined || slashArguments.startsWith("[")) return "";
    return await this.#parts.overlays.ask(`${slash?.[0] ?? ""} ${slashArguments}`);
  }
}
