// The frame around the screens: tabs, notice, overlays and the services that screens use.

import { describeError } from "../../base/product-error.ts";
import { Observable } from "../../base/store.ts";
import { hintsOf } from "./command-lists.ts";
import { Commands } from "./commands.ts";
import { frameCommands } from "./frame-commands.ts";
import { InputRouter } from "./input-router.ts";
import type { KeyPress } from "./key-name.ts";
import { type Overlay, Overlays } from "./overlays.ts";
import { type CheckAnswer, writeWidth } from "./question-overlay.ts";
import { Quit, type QuitOptions, type QuitReason } from "./quit.ts";
import type {
  BodySize,
  Choice,
  ChooseOptions,
  FrameServices,
  Hint,
  Screen,
  SlashName,
} from "./screen.ts";
import { ScreenSwitcher } from "./screen-switcher.ts";
import type { TerminalProgram, TerminalServices } from "./terminal-services.ts";
import { type ThemeName, themeNames } from "./themes.ts";
import { bodySize, isTooSmall, type WindowSize } from "./window-size.ts";

/** Coding agents that can be started on the chat's model. */
export interface AgentLauncher {
  choices(): readonly Choice[];
  /** Returns the program that launches an agent, or tells why it cannot. */
  launching(name: string): TerminalProgram;
}

export interface FrameOptions extends QuitOptions {
  /** Name in front of the tabs. Defaults to modelctl. */
  readonly program?: string;
  readonly theme: ThemeName;
  readonly terminal: TerminalServices;
  readonly size: () => WindowSize;
  /** Server status for the right end of the tab bar; called on every repaint. */
  readonly status: () => string;
  /** Undefined without a model to start them on. */
  readonly agents?: () => AgentLauncher | undefined;
}

/** Everything that the frame shows, as one immutable value. */
export interface FrameView {
  readonly program: string;
  readonly theme: ThemeName;
  /** True until the screens are loaded. */
  readonly isStarting: boolean;
  readonly screens: readonly Screen[];
  readonly current: Screen | undefined;
  /** Status of the current screen and of the server. */
  readonly statusParts: readonly string[];
  readonly overlay: Overlay | undefined;
  readonly notice: string | undefined;
  /** Keys and words for the row of hints. */
  readonly hints: readonly Hint[];
}

export class Frame extends Observable implements FrameServices {
  readonly #options: FrameOptions;
  readonly #screens = new ScreenSwitcher(() => this.refresh());
  readonly #overlays = new Overlays(() => this.refresh());
  readonly #commands = new Commands(this.#screens, this.#overlays, (text) => this.notify(text));
  readonly #quit: Quit;
  readonly #input: InputRouter;
  #notice: string | undefined;
  #theme: ThemeName;
  /** Undefined after a change. */
  #view: FrameView | undefined;

  constructor(options: FrameOptions) {
    super();
    this.#options = options;
    this.#theme = options.theme;
    this.#quit = new Quit(options, (title, choices) => this.choose(title, choices));
    this.#input = new InputRouter({
      screens: this.#screens,
      overlays: this.#overlays,
      commands: this.#commands,
      quit: this.#quit,
      isTooSmall: () => this.isTooSmall,
      notify: (sentence) => this.notify(sentence),
    });
  }

  /** Adds the screens and opens the first, or the named one. */
  start(screens: readonly Screen[], first?: Screen["id"]): void {
    this.#commands.add(
      frameCommands(screens, {
        isTyping: () => this.#screens.isTyping,
        open: (id) => this.open(id),
        openPalette: () => this.#commands.openPalette(),
        openCommandLine: () => this.#commands.openCommandLine(),
        help: () => this.help(),
        chooseTheme: (name) => this.#chooseTheme(name),
        repaint: () => this.repaint(),
        suspend: this.#options.terminal.stop,
        launch: (name) => this.#launch(name),
        canLaunch: () => this.#agents !== undefined,
        interrupt: () => this.#quit.interrupt(),
        leave: (reason) => this.leave(reason),
      }),
    );
    this.#screens.add(screens);
    const screen = screens.find(({ id }) => id === first) ?? screens[0];
    if (screen !== undefined) this.open(screen.id);
    this.#input.start();
    this.refresh();
  }

  get current(): Screen | undefined {
    return this.#screens.current;
  }

  get overlay(): Overlay | undefined {
    return this.#overlays.top?.get();
  }

  get notice(): string | undefined {
    return this.#notice;
  }

  get theme(): ThemeName {
    return this.#theme;
  }

  /** True if the window cannot show the current screen. */
  get isTooSmall(): boolean {
    return this.current !== undefined && isTooSmall(this.windowSize(), this.current.smallestWindow);
  }

  /** Returns the same value until something changes. */
  readonly get = (): FrameView => {
    this.#view ??= this.#createView();
    return this.#view;
  };

  /** Terminal cells that the program may use. */
  windowSize(): WindowSize {
    return this.#options.size();
  }

  bodySize(): BodySize {
    return bodySize(this.windowSize());
  }

  press(press: KeyPress): void {
    this.#input.press(press);
  }

  paste(text: string): void {
    this.#input.paste(text);
  }

  open(id: Screen["id"], argument?: string): void {
    this.#screens.open(id, argument);
  }

  ask(question: string, initial?: string, check?: CheckAnswer): Promise<string | undefined> {
    return this.#overlays.ask(question, initial, check);
  }

  write(question: string, initial = ""): Promise<string | undefined> {
    const width = () => writeWidth(this.bodySize().columns);
    const edit = async (text: string) => {
      try {
        return await this.edit(text, "md");
      } catch (error) {
        this.notify(describeError(error));
        return undefined;
      }
    };
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
    const items = choices.map((choice) => ({ note: "", ...choice }));
    const isSwitched = options.switches !== undefined;
    const verbs = isSwitched
      ? { verb: "switch", cancelVerb: "close" }
      : { verb: "choose", cancelVerb: "cancel" };
    return this.#overlays.list({ title, items, ...verbs, ...options });
  }

  /** Shows a notice in place of the hints; undefined clears it. */
  notify(sentence: string | undefined): void {
    if (this.#notice === sentence) return;
    this.#notice = sentence;
    this.refresh();
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
    this.refresh();
  }

  help(): void {
    this.#commands.openHelp();
  }

  leave(reason: QuitReason): void {
    this.#quit.leave(reason);
  }

  runSlash(line: string): boolean {
    return this.#commands.runSlash(line);
  }

  slashNames(): readonly SlashName[] {
    return this.#commands.slashNames();
  }

  /** Updates the display after a change outside the screens. */
  refresh(): void {
    this.#view = undefined;
    this.tell();
  }

  /** Cancels open questions and stops the current screen. */
  close(): void {
    this.#overlays.cancelAll();
    this.current?.deactivate();
  }

  #createView(): FrameView {
    const { theme, current, overlay, notice } = this;
    const { program = "modelctl", status } = this.#options;
    const commands = this.#overlays.top?.commands() ?? this.#commands.current;
    return {
      program,
      theme,
      isStarting: this.#input.isStarting,
      screens: this.#screens.all,
      current,
      statusParts: [current?.status() ?? "", status()].filter((text) => text !== ""),
      overlay,
      notice,
      hints: hintsOf(commands),
    };
  }

  get #agents(): AgentLauncher | undefined {
    return this.#options.agents?.();
  }

  /** @param name empty: a list is shown */
  async #launch(name: string): Promise<string | undefined> {
    const agents = this.#agents;
    if (agents === undefined) return "No local model to launch an agent on";
    const wanted = name || (await this.choose("Launch an agent", agents.choices()));
    if (wanted === undefined) return undefined;
    const code = await this.#options.terminal.run(agents.launching(wanted));
    return code === 0 ? undefined : `${wanted} exited with ${code}`;
  }

  /** @param name empty: a list is shown */
  async #chooseTheme(name: string): Promise<string | undefined> {
    const choices = themeNames.map((value) => ({ value, title: value }));
    const wanted = name === "" ? await this.choose("Theme", choices) : name;
    if (wanted === undefined) return undefined;
    const theme = themeNames.find((candidate) => candidate === wanted);
    if (theme === undefined) {
      return `Unknown theme '${wanted}'. Themes: ${themeNames.join(", ")}`;
    }
    this.#theme = theme;
    this.refresh();
    return undefined;
  }
}
