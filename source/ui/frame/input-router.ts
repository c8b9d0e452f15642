// Routes keys and text to the frame's commands, the overlay on top, or the current screen.

import { splitGraphemes } from "../../base/graphemes.ts";
import type { Commands } from "./commands.ts";
import type { KeyPress } from "./key-name.ts";
import type { Overlays } from "./overlays.ts";
import type { Quit } from "./quit.ts";
import type { ScreenSwitcher } from "./screen-switcher.ts";

/** These work even when the window is too small to show anything else. */
const smallWindowKeys = new Set(["Esc", "Ctrl+C", "Ctrl+D", "Ctrl+L", "Ctrl+Z"]);
/** Keys of tabs: another screen may fit. */
const tabKey = /^Alt\+\d$/;

interface InputRouterParts {
  readonly screens: ScreenSwitcher;
  readonly commands: Commands;
  readonly overlays: Overlays;
  readonly quit: Quit;
  readonly isTooSmall: () => boolean;
  /** Shows a notice; undefined clears it. */
  readonly notify: (sentence: string | undefined) => void;
}

export class InputRouter {
  readonly #parts: InputRouterParts;
  /** Input typed before the screens exist; undefined once they do. */
  #early: (() => void)[] | undefined = [];

  constructor(parts: InputRouterParts) {
    this.#parts = parts;
  }

  /** There are no screens yet. */
  get isStarting(): boolean {
    return this.#early !== undefined;
  }

  /** The screens exist: replays the input that came before them. */
  start(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const act of early) act();
  }

  press(press: KeyPress): void {
    if (this.#early !== undefined) {
      this.#pressEarly(press, this.#early);
      return;
    }
    const { screens, commands, overlays, isTooSmall, notify } = this.#parts;
    notify(undefined);
    const isKey = press.kind === "key";
    if (isTooSmall() && !(isKey && worksInSmallWindow(press.name))) return;
    const target = overlays.top ?? screens.current;
    if (isKey) commands.runKey(press.name);
    else if (target?.isTyping()) target.type(press.text);
    else this.#pressLetters(press.text);
  }

  /** Inserts a bracketed paste as one piece; it never sends. */
  paste(text: string): void {
    if (this.#early !== undefined) {
      this.#early.push(() => this.paste(text));
      return;
    }
    const { screens, overlays, isTooSmall, notify } = this.#parts;
    if (isTooSmall()) return;
    notify(undefined);
    const target = overlays.top ?? screens.current;
    if (target?.isTyping()) target.paste(text);
  }

  /** Before the screens exist only quitting works; everything else waits for them. */
  #pressEarly(press: KeyPress, early: (() => void)[]): void {
    const { quit, notify } = this.#parts;
    const name = press.kind === "key" ? press.name : undefined;
    if (name === "Ctrl+D") quit.leave("bye");
    else if (name === "Ctrl+C") {
      const notice = quit.interrupt();
      if (notice !== undefined) notify(notice);
    } else early.push(() => this.press(press));
  }

  /** Letters are keys until one opens a field or a list, which gets the rest as text. */
  #pressLetters(text: string): void {
    const [first = "", ...rest] = splitGraphemes(text);
    const { commands, overlays } = this.#parts;
    const isAnswer = overlays.top !== undefined;
    commands.runKey(first === " " ? "Space" : first);
    // Letters after the answer to a question are not keys of the screen below.
    if (rest.length > 0 && !isAnswer) this.press({ kind: "text", text: rest.join("") });
  }
}

function worksInSmallWindow(name: string): boolean {
  return smallWindowKeys.has(name) || tabKey.test(name);
}
