// Opens the program on the whole terminal, runs it, and gives the terminal back as it was.

import { type Instance, render } from "ink";
import { systemClock } from "../../base/clock.ts";
import { copyText } from "../frame/clipboard.ts";
import { Frame } from "../frame/frame.ts";
import type { WindowSize } from "../frame/frame-rows.ts";
import { terminalServices } from "../frame/terminal-services.ts";
import type { ServerWatch } from "../live/server-watch.ts";
import { selectGlyphs } from "../theme.ts";
import { App } from "./app.tsx";
import type { AppOptions, AppResult } from "./app-options.ts";
import { createScreens } from "./create-screens.ts";
import { PaintTrigger } from "./paint-trigger.ts";
import { ReaderApp } from "./reader-app.tsx";
import { lendTerminal, type TerminalHandle } from "./terminal-handle.ts";

/** Pictures are paced before they get here: this only keeps Ink from waiting once more. */
const framesPerSecondMaximum = 60;
/** Rows that the program takes of a terminal whose other rows stay as they are. */
const inlineRowsMaximum = 24;
const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs the program until the person leaves. Resolves after the terminal has been restored; rejects
 * only with a defect of the program itself.
 */
export async function runApp(options: AppOptions): Promise<AppResult> {
  const stdin = options.stdin ?? process.stdin;
  const stdout = options.stdout ?? process.stdout;
  const environment = options.environment ?? process.env;
  const isScreenReader = options.isScreenReader ?? process.env.INK_SCREEN_READER === "true";
  const isInline = options.isInline ?? false;
  const glyphs = selectGlyphs(environment, process.platform);
  const terminal: TerminalHandle = { suspend: undefined, isLent: false };
  let ending: Omit<AppResult, "transcript"> = { reason: "interrupted" };
  let instance: Instance | undefined;
  let hasLeft = false;
  let watch: ServerWatch | undefined;
  const leave = (reason: AppResult["reason"], signal?: NodeJS.Signals): void => {
    ending = signal === undefined ? { reason } : { reason, signal };
    hasLeft = true;
    instance?.unmount();
  };
  const size = () => windowSize(stdout, isInline);
  const frame = new Frame({
    glyphs,
    clock: systemClock,
    theme: options.theme ?? "default",
    terminal: terminalServices({
      erase: () => instance?.clear(),
      suspend: (work) => lendTerminal(terminal, work),
      copy: (text) => copyText(text, { environment, write: (bytes) => stdout.write(bytes) }),
      environment,
    }),
    size,
    status: () => serverStatus(watch, options.chat.backend.serverLabel()),
    onLeave: leave,
  });
  const stopWatching = watchForEnd(stdin, stdout, (signal) => {
    if (signal === "SIGINT" && terminal.isLent) return;
    leave("interrupted", signal);
  });
  const created = await createScreens(options, { glyphs, clock: systemClock, frame });
  const { chat, screens } = created;
  watch = created.watch;
  try {
    frame.start(screens, options.first);
    const trigger = new PaintTrigger(frame.subscribe);
    const root = isScreenReader ? (
      <ReaderApp frame={frame} trigger={trigger} terminal={terminal} />
    ) : (
      <App frame={frame} trigger={trigger} terminal={terminal} size={size} />
    );
    instance = render(root, {
      stdin,
      stdout,
      alternateScreen: !isScreenReader && !isInline,
      isScreenReaderEnabled: isScreenReader,
      incrementalRendering: true,
      maxFps: framesPerSecondMaximum,
      exitOnCtrlC: false,
      // Without this a CI variable, even an empty one, would keep the screen black until the end.
      interactive: true,
      kittyKeyboard: { mode: "auto" },
    });
    if (hasLeft) instance.unmount();
    await instance.waitUntilExit();
    // These lines stay on the terminal, and the last one is still open.
    if (isScreenReader || isInline) stdout.write("\n");
  } finally {
    stopWatching();
    watch?.stop();
    frame.close();
    await Promise.all(screens.map((screen) => screen.close()));
  }
  return { ...ending, transcript: chat.transcript };
}

/** @param label with the sign of a server that answers */
function serverStatus(watch: ServerWatch | undefined, label: string): string {
  return watch?.state.kind === "down" ? `${label.replace("●", "✗")} gone` : label;
}

/** A terminal that does not know its size counts as the classic one, as in Ink. */
function windowSize(stdout: NodeJS.WriteStream, isInline: boolean): WindowSize {
  const rows = stdout.rows || 24;
  return {
    columns: stdout.columns || 80,
    rows: isInline ? Math.min(rows, inlineRowsMaximum) : rows,
  };
}

/**
 * Calls `end` on a signal or when the terminal goes away.
 * @returns takes the listeners off again
 */
function watchForEnd(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  end: (signal?: NodeJS.Signals) => void,
): () => void {
  const onClosed = (): void => end();
  for (const signal of endingSignals) process.on(signal, end);
  stdin.on("end", onClosed);
  stdin.on("error", onClosed);
  stdout.on("error", onClosed);
  return () => {
    for (const signal of endingSignals) process.off(signal, end);
    stdin.off("end", onClosed);
    stdin.off("error", onClosed);
    stdout.off("error", onClosed);
  };
}
