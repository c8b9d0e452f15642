// Interface between the frame (tabs, palette, help, hints) and its screens.

import type { ComponentType } from "react";
import type { Clock } from "../../base/clock.ts";
import type { CommandFacts } from "../../chat/commands/command.ts";
import type { Layout } from "../theme.ts";

/** Size of the body: the window without tab bar and hints. */
export interface BodySize {
  readonly columns: number;
  readonly rows: number;
}

/** A key and a word for its effect. */
export type Hint = readonly [key: string, word: string];

/** A command bound to its screen; keys, palette, slash names, hints and help use the same list. */
export interface BoundCommand extends CommandFacts {
  /** A word for the row of hints, or a hint for several keys; undefined: no hint now. */
  hint(): string | Hint | undefined;
  /** True if the command is available now. */
  isValid(): boolean;
  /** @returns a sentence on failure */
  run(argument: string): string | undefined | Promise<string | undefined>;
}

/** All tabs in order. */
export const tabs = [
  { id: "chat", title: "Chat" },
  { id: "models", title: "Models" },
  { id: "server", title: "Server" },
  { id: "deploy", title: "Deploy" },
  { id: "console", title: "Console" },
] as const;

/** Returns the number and key of a tab, whichever other tabs there are. */
export function tabNumber(id: Screen["id"]): number {
  return tabs.findIndex((tab) => tab.id === id) + 1;
}

/** A tab of the frame. Calls are synchronous and cheap unless noted. */
export interface Screen {
  readonly id: (typeof tabs)[number]["id"];
  /** Title of the tab, one word. */
  readonly title: string;
  /** Commands in the order of hints and help. */
  commands(): readonly BoundCommand[];
  /** Draws the screen in exactly this size. */
  readonly Body: ComponentType<BodySize>;
  /** Smallest window in which it can be used. Below 60x16, the default, there is no tab bar. */
  readonly smallestWindow?: BodySize;
  /**
   * In the layout `inline`, prints finished content, such as messages, above everything else, even while
   * another screen is in front. `Body` then leaves it out.
   */
  readonly Scrollback?: ComponentType<{ readonly columns: number }>;
  /** Text for the right end of the tab bar, such as "61 tok/s"; empty for none. */
  status(): string;
  /** A text field has the focus: letters and digits are text, not keys. */
  isTyping(): boolean;
  type(text: string): void;
  /** Inserts a paste as one piece, with its line breaks. */
  paste(text: string): void;
  /** Describes the screen in words; the layout `reader` prints them in place of `Body`. */
  spoken(): Spoken;
  /** Takes the argument of `FrameServices.open`, such as a model to chat with. */
  accept?(argument: string): void;
  /** Calls the listener on every visible change. */
  subscribe(listener: () => void): void;
  /** The screen becomes visible: timers and streams may run. */
  activate(): void;
  deactivate(): void;
  /** The program ends: releases everything; resolves once all is saved. */
  close(): Promise<void>;
}

/** A screen in words, for screen readers. They may hold untrusted text, which the layout cleans. */
export interface Spoken {
  /** Finished content, such as messages: each line is read once. */
  readonly finished: readonly string[];
  /** A few lines that change in place; each change reads all of them again. */
  readonly live: readonly string[];
}

/** Context of every screen. */
export interface ScreenContext {
  /** True if the terminal draws only ASCII: pictures have no replacement. */
  readonly isAscii: boolean;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly layout: Layout;
}

/** Services of the frame for screens. */
export interface FrameServices {
  /** Returns the current size of the body. */
  bodySize(): BodySize;
  open(id: Screen["id"], argument?: string): void;
  /**
   * Asks a one-line question over the hints.
   *
   * @param initial a suggestion, selected: typing replaces it
   * @param check returns the problem with an answer, which then stays to be corrected
   * @returns undefined when cancelled
   */
  ask(
    question: string,
    initial?: string,
    check?: (text: string) => string | undefined,
  ): Promise<string | undefined>;
  /**
   * Edits a text of several lines, above the hints or in $EDITOR.
   *
   * @returns undefined when cancelled
   */
  write(question: string, initial?: string): Promise<string | undefined>;
  /**
   * Asks for confirmation of an action and its effect; the default is No.
   *
   * @param rest the effect, if it must be looked up: Yes is disabled until it is shown
   * @throws what `rest` throws
   */
  confirm(question: string, rest?: Promise<string>): Promise<boolean>;
  /**
   * Opens a list to filter and choose from.
   * @returns the chosen value
   */
  choose(
    title: string,
    choices: readonly Choice[],
    options?: ChooseOptions,
  ): Promise<string | undefined>;
  /** Shows a notice in place of the hints, until the next key. */
  notify(sentence: string): void;
  /** Copies by OSC 52 and to the local clipboard. @returns a sentence on the result */
  copy(text: string): Promise<string>;
  /** Opens a text in $VISUAL or $EDITOR. @returns the saved text; undefined if unchanged */
  edit(text: string, extension: string): Promise<string | undefined>;
  /** Shows a text in $PAGER. */
  page(text: string): Promise<void>;
  repaint(): void;
  /** Opens the help with the commands of the screen and the frame. */
  help(): void;
  /** Quits the program at the user's request. */
  leave(reason: "bye" | "interrupted"): void;
  /** Runs a slash name of another screen or the frame. @returns false for an unknown one */
  runSlash(line: string): boolean;
  /** Lists all slash names, for completion. */
  slashNames(): readonly SlashName[];
}

/** A slash name and its command's title. */
export interface SlashName {
  readonly name: string;
  readonly title: string;
}

export interface Choice {
  readonly value: string;
  readonly title: string;
  /** Shown dim at the right. */
  readonly note?: string;
  /** Heading of the group the choice belongs to. */
  readonly group?: string;
  /** Shown, but cannot be chosen. */
  readonly isDim?: boolean;
}

export interface ChooseOptions {
  /** Returns further choices that match the typed text. */
  readonly search?: (typed: string) => Promise<readonly SearchHit[]>;
  readonly action?: ListAction;
  /** The initially selected value. Defaults to the first choice. */
  readonly selected?: string | undefined;
  /** Enter switches the selected choice instead: the list stays open, with choices that change. */
  readonly switches?: LiveChoices;
  /** Titles are table rows: notes are cut first when space is short. Defaults to false. */
  readonly isTable?: boolean;
}

/** Choices that change while they are shown. */
export interface LiveChoices {
  title(): string;
  choices(): readonly Choice[];
  toggle(value: string): void;
  /** @returns a function that unsubscribes */
  readonly subscribe: (listener: () => void) => () => void;
}

/** A choice that a search has found. */
export interface SearchHit {
  readonly value: string;
  /** Replaces the choice's note: the text that was found. */
  readonly note?: string | undefined;
}

/** Acts on the selected choice; the list stays open. */
export interface ListAction {
  readonly key: string;
  /** A word for the hints. */
  readonly verb: string;
  /** @returns true if the choice no longer exists */
  readonly run: (value: string) => Promise<boolean>;
}

/** A row of a list to choose from. */
export interface ListItem {
  readonly value: string;
  readonly title: string;
  /** Shown at the right, such as the keys of a command. */
  readonly note: string;
  /** Other names that the filter matches. */
  readonly names?: readonly string[];
  /** Heading of the group the item belongs to. */
  readonly group?: string;
  /** Text that Tab puts into the field, ready for an argument. */
  readonly completion?: string;
  /** Shown, but cannot be chosen now. */
  readonly isDim?: boolean;
}
