// The seam between the frame (tabs, palette, help, hints) and the screens behind its tabs.

import type { ComponentType } from "react";
import type { Clock } from "../../base/clock.ts";
import type { Layout } from "../hooks/use-layout.ts";
import type { Glyphs } from "../theme.ts";

/** The body of the window: what lies between the row of tabs and the row of hints. */
export interface BodySize {
  readonly columns: number;
  readonly rows: number;
}

/** What is said of a command: help and documentation are made from it. */
export interface CommandFacts {
  /** Stable name, `area.action`, such as `models.delete`. */
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** Key names as in `interpretInput`; the first is the one to advertise. */
  readonly keys: readonly string[];
  /** Other words that people look for it by. */
  readonly keywords?: readonly string[];
  /** Names to type in the chat, such as `/clear`. */
  readonly slash?: readonly string[];
  /** The words behind the slash name, for the help. */
  readonly slashArguments?: string;
}

/** A command of a screen, bound to it: keys, palette, slash names, hints and help read the same list. */
export interface BoundCommand extends CommandFacts {
  /** One word for the row of hints; undefined: not hinted at now. */
  hint(): string | undefined;
  /** Whether it can be done now. */
  isValid(): boolean;
  /** @returns a sentence when it could not be done */
  run(argument: string): string | undefined | Promise<string | undefined>;
}

/** A tab of the frame. All calls are synchronous and cheap but those that say otherwise. */
export interface Screen {
  readonly id: "chat" | "models" | "server" | "deploy" | "console";
  /** One word, for the tab. */
  readonly title: string;
  /** The number of its tab, and of its key. Defaults to its place among the screens. */
  readonly tabNumber?: number;
  /** In the order in which hints and help show them. */
  commands(): readonly BoundCommand[];
  /** Draws the screen in exactly this room. */
  readonly Body: ComponentType<BodySize>;
  /**
   * Prints with `Static` what is finished, such as messages, above everything else: in the layout `inline`,
   * whatever screen is in front. `Body` then leaves it out.
   */
  readonly Scrollback?: ComponentType<{ readonly columns: number }>;
  /** For the right end of the row of tabs, such as "61 tok/s"; empty for nothing. */
  status(): string;
  /** A text field has the focus: letters and digits are text, not keys. */
  isTyping(): boolean;
  type(text: string): void;
  /** One piece, with its line breaks. */
  paste(text: string): void;
  /**
   * Finished content, such as messages, as lines for screen readers: each is read out once, above `Body`, which
   * leaves it out in the layout `reader`.
   */
  readerLines?(): readonly string[];
  /** What `FrameServices.open` names along, such as a model to chat with. */
  accept?(argument: string): void;
  /** Called on every change that shows. @returns stops it */
  subscribe(listener: () => void): () => void;
  /** It is in sight from now on: timers and streams may run. */
  activate(): void;
  deactivate(): void;
  /** The program ends: give back everything; resolves when what must be saved is saved. */
  close(): Promise<void>;
}

/** What every screen is given. */
export interface ScreenContext {
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly layout: Layout;
}

/** What the frame does for screens. */
export interface FrameServices {
  /** The room that screens have now. */
  bodySize(): BodySize;
  open(id: Screen["id"], argument?: string): void;
  /**
   * A one-line question over the hints.
   *
   * @param initial a suggestion, selected: what is typed takes its place
   * @param check says what is wrong with an answer, which then stays to be mended
   * @returns undefined when the person cancels
   */
  ask(
    question: string,
    initial?: string,
    check?: (text: string) => string | undefined,
  ): Promise<string | undefined>;
  /**
   * A text of several lines, written over the hints or in $EDITOR.
   *
   * @returns undefined when the person cancels
   */
  write(question: string, initial?: string): Promise<string | undefined>;
  /**
   * Names the thing and its effect; the default answer is No.
   *
   * @param rest the effect, where that has to be asked for: there is no yes before it is shown
   * @throws what `rest` throws
   */
  confirm(question: string, rest?: Promise<string>): Promise<boolean>;
  /**
   * A list to filter and choose from.
   * @returns the chosen value
   */
  choose(
    title: string,
    choices: readonly Choice[],
    options?: ChooseOptions,
  ): Promise<string | undefined>;
  /** A sentence in place of the hints, until the next key. */
  notify(sentence: string): void;
  /** OSC 52 and the local clipboard. @returns a sentence that tells how it went */
  copy(text: string): Promise<string>;
  /** Opens a text in $VISUAL or $EDITOR. @returns the text as saved; undefined when nothing changed */
  edit(text: string, extension: string): Promise<string | undefined>;
  /** Shows a text in $PAGER. */
  page(text: string): Promise<void>;
  repaint(): void;
  /** Opens the help, which lists the commands of the screen and of the frame. */
  help(): void;
  /** The program ends, as the person wants. */
  leave(reason: "bye" | "interrupted"): void;
  /** Does what another screen's or the frame's slash name stands for. @returns false for an unknown one */
  runSlash(line: string): boolean;
  /** What `runSlash` knows, for completing a typed line. */
  slashNames(): readonly SlashName[];
}

/** A command's name to type, and what it does. */
export interface SlashName {
  readonly name: string;
  readonly title: string;
}

export interface Choice {
  readonly value: string;
  readonly title: string;
  /** At the right, dim. */
  readonly note?: string;
  /** Choices of one group stand together below its name. */
  readonly group?: string;
}

export interface ChooseOptions {
  /** Values of further choices that fit what is typed. */
  readonly search?: (typed: string) => Promise<readonly string[]>;
  /** The value that is selected at first. Defaults to the first choice. */
  readonly selected?: string | undefined;
  /** Titles are rows of a table: where room is short the notes are cut. Defaults to false. */
  readonly isTable?: boolean;
}

/** A row of a list to choose from. */
export interface ListItem {
  readonly value: string;
  readonly title: string;
  /** At the right, such as the keys of a command. */
  readonly note: string;
  /** Other names that it is found by, beside its title. */
  readonly names?: readonly string[];
  /** Items of one group stand together below its name. */
  readonly group?: string;
  /** Text that Tab puts into the field, for words to be typed behind it. */
  readonly completion?: string;
  /** Shown, but cannot be chosen now. */
  readonly isDim?: boolean;
}
