// The frame around the screens: which one is in sight, what lies over it, where each key goes.

import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";
import type { KeyPress } from "../keys/key-name.ts";
import { splitGraphemes } from "../text/graphemes.ts";
import type { Glyphs } from "../theme.ts";
import {
  commandLineItems,
  commandOfItem,
  findByKey,
  findBySlash,
  helpItems,
  hintsOf,
  joinCommands,
  paletteItems,
  typedItem,
  withoutAlias,
} from "./command-lists.ts";
import { frameCommands, quitNotice } from "./frame-commands.ts";
import type { ListQuestion } from "./list-overlay.ts";
import { type Overlay, Overlays } from "./overlays.ts";
import type {
  BodySize,
  BoundCommand,
  Choice,
  ChooseOptions,
  FrameServices,
  ListItem,
  Screen,
  SlashName,
} from "./screen.ts";
import type { TerminalServices } from "./terminal-services.ts";
import { chooseTheme, type ThemeName } from "./themes.ts";
import { bodySize, isTooSmall, type WindowSize } from "./window-size.ts";
import { writeWidth } from "./write-overlay.ts";

/** A second Ctrl+C within this time leaves. */
const interruptWindowMs = 2000;
/** They act on the terminal, whatever lies over the screen. */
const keysOfTerminal = new Set(["Ctrl+L", "Ctrl+Z"]);
/** They answer even when the window is too small to show what is typed. */
const keysOfSmallWindows = new Set(["Esc", "Ctrl+C", "Ctrl+D", "Ctrl+L", "Ctrl+Z"]);

/** Rows of commands that the palette shows at once. */
const paletteRows = 12;

export interface FrameOptions {
  /** In front of the tabs. Defaults to modelctl. */
  readonly program?: string;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly theme: ThemeName;
  readonly terminal: TerminalServices;
  readonly size: () => WindowSize;
  /** How the server is, for the right end of the row of tabs; asked for on every repaint. */
  readonly status: () => string;
  /** Says who else uses the server that ends with this program. Defaults to nobody. */
  readonly serverUsers?: () => string | undefined;
  readonly onLeave: (reason: "bye" | "interrupted", keepsServer: boolean) => void;
}

export class Frame implements FrameServices {
  readonly #options: FrameOptions;
  readonly #listeners = new Set<() => void>();
  #screens: readonly Screen[] = [];
  #current: Screen | undefined;
  #commands: ReturnType<typeof frameCommands> = { reserved: [], yielding: [] };
  readonly #overlays: Overlays;
  #isAskedToLeave = false;
  #notice: string | undefined;
  #theme: ThemeName;
  #interruptedAtMs = -Infinity;
  /** Keys and pastes that came before there was a screen for them. */
  #waiting: (() => void)[] | undefined = [];
  #version = 0;
  #repaints = 0;

  constructor(options: FrameOptions) {
    this.#options = options;
    this.#theme = options.theme;
    this.#overlays = new Overlays(() => this.#changed());
  }

  /** Takes the screens over and shows the first, or the named one. */
  start(screens: readonly Screen[], first?: Screen["id"]): void {
    this.#screens = screens;
    this.#commands = frameCommands({
      screens,
      isTyping: () => this.#isTyping,
      open: (id) => this.open(id),
      openPalette: () => this.#openPalette(),
      openCommandLine: () => this.#openCommandLine(),
      help: () => this.help(),
      chooseTheme: (name) => this.#chooseTheme(name),
      repaint: () => this.repaint(),
      suspend: this.#options.terminal.stop,
      interrupt: () => this.#interrupt(),
      leave: (reason) => this.leave(reason),
    });
    for (const screen of screens) {
      screen.subscribe(() => {
        // What goes on out of sight is painted when it comes into sight.
        if (screen === this.#current) this.#changed();
      });
    }
    const screen = screens.find(({ id }) => id === first) ?? screens[0];
    if (screen !== undefined) this.open(screen.id);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const act of waiting) act();
  }

  get screens(): readonly Screen[] {
    return this.#screens;
  }

  /** The screen in sight. */
  get current(): Screen | undefined {
    return this.#current;
  }

  get overlay(): Overlay | undefined {
    return this.#overlays.top;
  }

  /** A sentence in place of the hints. */
  get notice(): string | undefined {
    return this.#notice;
  }

  get theme(): ThemeName {
    return this.#theme;
  }

  get program(): string {
    return this.#options.program ?? "modelctl";
  }

  get glyphs(): Glyphs {
    return this.#options.glyphs;
  }

  /** There are no screens yet. */
  get isStarting(): boolean {
    return this.#waiting !== undefined;
  }

  /** What the screen in sight is at, and how the server is. */
  get statusParts(): readonly string[] {
    return [this.#current?.status() ?? "", this.#options.status()].filter((text) => text !== "");
  }

  /** Keys and words for the row of hints. */
  get hints(): readonly (readonly [string, string])[] {
    return this.overlay?.hints ?? hintsOf(this.commands);
  }

  /** The cells of the terminal that the program may use. */
  windowSize(): WindowSize {
    return this.#options.size();
  }

  /** The screen's commands and the frame's. */
  get commands(): readonly BoundCommand[] {
    const { reserved, yielding } = this.#commands;
    return joinCommands(this.#current?.commands() ?? [], [...reserved, ...yielding]);
  }

  /** Counts changes, for `useSyncExternalStore`. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Acts on one key or piece of text. */
  press(press: KeyPress): void {
    if (this.#waiting !== undefined) {
      this.#pressEarly(press, this.#waiting);
      return;
    }
    this.#setNotice(undefined);
    const isKey = press.kind === "key";
    if (isTooSmall(this.#options.size()) && !(isKey && keysOfSmallWindows.has(press.name))) return;
    const { overlay } = this;
    if (isKey && keysOfTerminal.has(press.name)) this.#key(press.name);
    else if (overlay !== undefined) overlay.press(press);
    else if (isKey) this.#key(press.name);
    else if (this.#isTyping) this.#current?.type(press.text);
    else this.#keysOf(press.text);
  }

  /** Takes a marked paste: one insertion that never sends. */
  paste(text: string): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(() => this.paste(text));
      return;
    }
    if (isTooSmall(this.#options.size())) return;
    this.#setNotice(undefined);
    if (this.overlay !== undefined) this.overlay.paste(text);
    else if (this.#isTyping) this.#current?.paste(text);
  }

  open(id: Screen["id"], argument?: string): void {
    const screen = this.#screens.find((candidate) => candidate.id === id);
    if (screen === undefined) return;
    if (screen !== this.#current) {
      this.#current?.deactivate();
      this.#current = screen;
      screen.activate();
      this.#changed();
    }
    if (argument !== undefined) screen.accept?.(argument);
  }

  bodySize(): BodySize {
    return bodySize(this.windowSize());
  }

  ask(
    question: string,
    initial = "",
    check: (text: string) => string | undefined = () => undefined,
  ): Promise<string | undefined> {
    return this.#overlays.ask(question, initial, check);
  }

  write(question: string, initial = ""): Promise<string | undefined> {
    const width = () => writeWidth(this.bodySize().columns);
    const edit = (text: string) => this.edit(text, "md");
    return this.#overlays.write({ question, initial, width, edit });
  }

  confirm(question: string, rest?: Promise<string>): Promise<boolean> {
    return this.#overlays.confirm(question, rest);
  }

  choose(
    title: string,
    choices: readonly Choice[],
    options: ChooseOptions = {},
  ): Promise<string | undefined> {
    const items = choices.map((choice): ListItem => ({ note: "", ...choice }));
    const verbs = { verb: "choose", cancelVerb: "cancel" };
    return this.#overlays.list({ title, items, ...verbs, ...options });
  }

  notify(sentence: string): void {
    this.#setNotice(sentence);
  }

  async copy(text: string): Promise<string> {
    return await this.#options.terminal.copy(text);
  }

  async edit(text: string, extension: string): Promise<string | undefined> {
    return await this.#options.terminal.edit(text, extension);
  }

  async page(text: string): Promise<void> {
    await this.#options.terminal.page(text);
  }

  repaint(): void {
    this.#options.terminal.erase();
    this.#repaints += 1;
    this.#changed();
  }

  /** Counts how often everything was to be drawn anew. */
  get repaints(): number {
    return this.#repaints;
  }

  help(): void {
    const { current } = this;
    this.#openCommands({
      title: `Help: ${current?.title ?? ""}`,
      items: helpItems(this.commands),
    });
  }

  /** Ends the program; asks first where others would lose their server. */
  leave(reason: "bye" | "interrupted"): void {
    const users = this.#options.serverUsers?.();
    if (users === undefined) this.#options.onLeave(reason, false);
    else if (!this.#isAskedToLeave) void this.#askToLeave(reason, users);
  }

  async #askToLeave(reason: "bye" | "interrupted", users: string): Promise<void> {
    this.#isAskedToLeave = true;
    const answer = await this.choose(`Quit? ${users}`, [
      { value: "keep", title: "Quit, and leave the server running in the background" },
      { value: "stop", title: "Quit and stop the server", note: "running requests end first" },
    ]);
    this.#isAskedToLeave = false;
    if (answer !== undefined) this.#options.onLeave(reason, answer === "keep");
  }

  runSlash(line: string): boolean {
    const found = findBySlash(this.#allCommands, line);
    if (found === undefined) return false;
    this.#run(found.command, found.argument);
    return true;
  }

  /** Something beside the screens has changed that shows. */
  refresh(): void {
    this.#changed();
  }

  /** Gives everybody who waits for an answer none. */
  close(): void {
    this.#overlays.cancelAll();
    this.#current?.deactivate();
  }

  slashNames(): readonly SlashName[] {
    return this.#allCommands.flatMap(({ slash = [], title }) =>
      slash.map((name) => ({ name, title })),
    );
  }

  get #allCommands(): readonly BoundCommand[] {
    const { reserved, yielding } = this.#commands;
    return [...reserved, ...yielding, ...this.#screens.flatMap((screen) => screen.commands())];
  }

  get #isTyping(): boolean {
    return this.#current?.isTyping() ?? false;
  }

  /** Before there are screens one can only leave; the rest is for them. */
  #pressEarly(press: KeyPress, waiting: (() => void)[]): void {
    if (press.kind === "key" && press.name === "Ctrl+D") this.leave("bye");
    else if (press.kind === "key" && press.name === "Ctrl+C") this.#tell(this.#interrupt());
    else waiting.push(() => this.press(press));
  }

  #key(name: string): void {
    const { reserved, yielding } = this.#commands;
    const command =
      findByKey(reserved, name) ??
      findByKey(this.#current?.commands() ?? [], name) ??
      findByKey(yielding, name);
    if (command !== undefined) this.#run(command, "");
  }

  /** Letters are keys, until one of them opens a field or a list: the rest is text for that. */
  #keysOf(text: string): void {
    const [first = "", ...rest] = splitGraphemes(text);
    this.#key(first === " " ? "Space" : first);
    if (rest.length > 0) this.press({ kind: "text", text: rest.join("") });
  }

  /** What could not be done is told in place of the hints. */
  #run(command: BoundCommand, argument: string): void {
    const tell = (sentence: string | undefined): void => this.#tell(sentence);
    try {
      const outcome = command.run(argument);
      if (outcome instanceof Promise) {
        outcome.then(tell, (error: unknown) => tell(describeError(error)));
      } else tell(outcome);
    } catch (error) {
      tell(describeError(error));
    }
  }

  #tell(sentence: string | undefined): void {
    if (sentence !== undefined) this.#setNotice(sentence);
  }

  #interrupt(): string | undefined {
    const nowMs = this.#options.clock.now();
    const isSecond = nowMs - this.#interruptedAtMs <= interruptWindowMs;
    this.#interruptedAtMs = nowMs;
    if (!isSecond) return quitNotice;
    this.leave("interrupted");
    return undefined;
  }

  async #chooseTheme(name: string): Promise<string | undefined> {
    const { theme, sentence } = await chooseTheme(name, this);
    if (theme !== undefined) {
      this.#theme = theme;
      this.#changed();
    }
    return sentence;
  }

  #openPalette(): void {
    const others = this.#screens.filter((screen) => screen !== this.#current);
    const items = paletteItems(this.commands, others);
    this.#openCommands({ title: "Commands", items, rowsMaximum: paletteRows, hidesDim: true });
  }

  #openCommandLine(): void {
    const items = commandLineItems([...this.commands, ...this.#allCommands]);
    this.#openCommands({ title: "Command line", items, rowsMaximum: paletteRows }, withoutAlias);
  }

  /** @param read turns what is typed into a line that names a command */
  #openCommands(
    question: Omit<ListQuestion, "verb" | "typed">,
    read: (text: string) => string = (text) => text,
  ): void {
    const { commands } = this;
    // What the screen in sight calls so is meant before the others' commands.
    const all = [...commands, ...this.#allCommands];
    const typed = (text: string) => typedItem(all, read(text));
    void this.#overlays.list({ ...question, verb: "run", typed }).then(async (chosen) => {
      const found = chosen === undefined ? undefined : commandOfItem(all, chosen);
      if (found === undefined) return;
      const { command, argument } = found;
      const isElsewhere = !commands.some(({ id }) => id === command.id);
      if (isElsewhere && !command.isValid()) {
        this.#openScreenOf(command);
        if (!command.isValid()) return this.notify(`Not possible yet: ${command.title}`);
      }
      const words = argument !== "" ? argument : await this.#argumentFor(command);
      if (words === undefined) return;
      // What a command of another screen does is seen there.
      if (isElsewhere) this.#openScreenOf(command);
      this.#run(command, words);
    });
  }

  #openScreenOf({ id }: BoundCommand): void {
    const owner = this.#screens.find((screen) =>
      screen.commands().some((command) => command.id === id),
    );
    if (owner !== undefined) this.open(owner.id);
  }

  /** Asks for the words that a typed command needs. */
  async #argumentFor({ slash, slashArguments }: BoundCommand): Promise<string | undefined> {
    // What stands in brackets may be left out.
    if (slashArguments === undefined || slashArguments.startsWith("[")) return "";
    return await this.ask(`${slash?.[0] ?? ""} ${slashArguments}`);
  }

  #setNotice(sentence: string | undefined): void {
    if (this.#notice === sentence) return;
    this.#notice = sentence;
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
