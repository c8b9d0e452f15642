// Renders components as text at a chosen size, through ink-testing-library.

import { render as renderInk } from "ink";
import { render as renderTree } from "ink-testing-library";
import type { ReactElement } from "react";
import { onTestFinished } from "vitest";
import { App } from "../../../source/ui/app/app.tsx";
import type { Frame } from "../../../source/ui/frame/frame.ts";
import { type ThemeName, themes } from "../../../source/ui/frame/themes.ts";
import { Pace } from "../../../source/ui/hooks/pace.ts";
import { LookContext } from "../../../source/ui/hooks/use-look.ts";
import { FullScreen } from "../../../source/ui/layouts/full-screen.tsx";
import { type Layout, toAscii } from "../../../source/ui/theme.ts";
import { until } from "../../support/until.ts";
import { SizedTerminal } from "./sized-terminal.ts";

export interface RenderOptions {
  readonly columns?: number;
  /** Shows the frame as a terminal that draws only ASCII gets it. */
  readonly isAscii?: boolean;
  readonly theme?: ThemeName;
  readonly layout?: Layout;
  /** Milliseconds since 1970 for ages on the screen. */
  readonly nowMs?: number;
}

export interface Rendered {
  /** The rows of the last frame, blanks at their ends removed. */
  readonly lines: () => string[];
  readonly text: () => string;
  readonly rerender: (tree: ReactElement) => void;
  /** Types as a terminal does; wait for the effect with `shows`. */
  readonly type: (bytes: string) => void;
  /** Waits for a frame that holds the text. */
  readonly shows: (expected: string | RegExp) => Promise<void>;
}

/** Draws a component in its context; the first frame is there at once. */
export function renderAt(tree: ReactElement, options: RenderOptions = {}): Rendered {
  const { columns = 100, isAscii = false, theme = "default", layout = "window" } = options;
  const { nowMs = 0 } = options;
  const clock = { now: () => nowMs, wallMs: () => nowMs };
  const look = { theme: themes[theme], layout, clock };
  const around = (inner: ReactElement) => <LookContext value={look}>{inner}</LookContext>;
  const instance = renderTree(around(tree));
  // The library's terminal has a hundred columns and no rows.
  Object.defineProperty(instance.stdout, "columns", { value: columns, configurable: true });
  instance.stdout.emit("resize");
  instance.rerender(around(tree));
  onTestFinished(() => instance.unmount());
  const written = isAscii ? toAscii : (frame: string) => frame;
  const lines = () =>
    written(withoutColours(instance.lastFrame() ?? ""))
      .split("\n")
      .map((line) => line.trimEnd());
  const text = () => lines().join("\n");
  return {
    lines,
    text,
    rerender: (next) => instance.rerender(around(next)),
    type: (bytes) => instance.stdin.write(bytes),
    shows: async (expected) => {
      await until(text, (shown) =>
        typeof expected === "string" ? shown.includes(expected) : expected.test(shown),
      );
    },
  };
}

/** The rows of the whole program at this moment. */
export function frameLines(frame: Frame, options: RenderOptions = {}): string[] {
  const { columns } = frame.windowSize();
  const { lines } = renderAt(<FullScreen frame={frame} />, {
    columns,
    theme: frame.theme,
    ...options,
  });
  return lines();
}

/** The program around a frame, without services. */
export function programOf(
  frame: Frame,
  layout: Layout = "window",
  onError: (error: Error) => void = (error) => {
    throw error;
  },
): ReactElement {
  const terminal = { suspend: undefined, isSuspended: false };
  const clock = { now: () => 0, wallMs: () => 0 };
  const app = { frame, pace: new Pace(), clock, layout, terminal, onError };
  return <App {...app} />;
}

/** Draws a component in an in-memory terminal, for its cursor, colours and new sizes. */
export function openTree(tree: ReactElement, columns: number, rows: number): SizedTerminal {
  return openTerminal(tree, columns, rows, false);
}

/** Draws it for screen readers. */
export function openReader(tree: ReactElement, columns: number, rows: number): SizedTerminal {
  return openTerminal(tree, columns, rows, true);
}

function openTerminal(
  tree: ReactElement,
  columns: number,
  rows: number,
  isScreenReaderEnabled: boolean,
): SizedTerminal {
  const screen = new SizedTerminal(columns, rows);
  const instance = renderInk(
    <LookContext
      value={{
        theme: themes.default,
        layout: "window",
        clock: { now: () => 0, wallMs: () => 0 },
      }}
    >
      {tree}
    </LookContext>,
    {
      stdin: screen.stdin,
      stdout: screen.stdout,
      alternateScreen: !isScreenReaderEnabled,
      isScreenReaderEnabled,
      incrementalRendering: true,
      interactive: true,
      patchConsole: false,
      exitOnCtrlC: false,
    },
  );
  onTestFinished(() => instance.unmount());
  return screen;
}

function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  return text.replaceAll(/\u001b\[[0-9;]*m/g, "");
}
