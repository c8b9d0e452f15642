// Takes over the whole terminal, runs the program, and restores the terminal.

import { type Instance, render } from "ink";
import { systemClock } from "../../base/clock.ts";
import type { ServerWatch } from "../../client/live/server-watch.ts";
import { Frame } from "../frame/frame.ts";
import { interpretTypedAhead } from "../frame/key-name.ts";
import { cursorToBottom, eraseLine } from "../frame/terminal-sequences.ts";
import {
  suspendTerminal,
  type TerminalHandle,
  terminalServices,
} from "../frame/terminal-services.ts";
import type { WindowSize } from "../frame/window-size.ts";
import { Pace } from "../hooks/pace.ts";
import { isAsciiLocale, type Layout, toAscii } from "../theme.ts";
import { App } from "./app.tsx";
import type { AppOptions, AppParts, AppResult, ViewOptions } from "./app-options.ts";
import type { CreatedScreens } from "./create-screens.ts";

/**
 * Turns off Ink's own limit, since `Pace` limits frames before Ink gets them. Ink restarts its pause at
 * each request, so the frame after a key would wait for a whole pause.
 */
const framesPerSecondMaximum = 1000;

const inlineRowsMaximum = 24;
const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs the program until the user quits. Resolves after the terminal has been restored; rejects
 * only with a defect of the program itself.
 */
export async function runApp(options: AppOptions): Promise<AppResult> {
  return await run(options, async () => options, false);
}

/**
 * Paints before the services behind the screens are ready; keys typed meanwhile are kept.
 *
 * @param prepare called after the first frame
 * @throws what `prepare` throws, after the terminal has been restored
 */
export async function runAppAhead(
  view: ViewOptions,
  prepare: () => Promise<AppParts>,
): Promise<AppResult> {
  return await run(view, prepare, true);
}

async function run(
  view: ViewOptions,
  prepare: () => Promise<AppParts>,
  isPaintedFirst: boolean,
): Promise<AppResult> {
  const { stdin = process.stdin, stdout = process.stdout, environment = process.env } = view;
  const { isInline = false } = view;
  const isScreenReader = view.isScreenReader ?? process.env.INK_SCREEN_READER === "true";
  const isAscii = isAsciiLocale(environment, process.platform);
  const terminal: TerminalHandle = { suspend: undefined, isSuspended: false };
  let ending: Pick<AppResult, "reason" | "signal"> | undefined;
  let instance: Instance | undefined;
  let parts: AppParts | undefined;
  let created: CreatedScreens | undefined;
  const layout: Layout = isScreenReader ? "reader" : isInline ? "inline" : "window";
  const leave = (how: NonNullable<typeof ending>): void => {
    ending = how;
    instance?.unmount();
  };
  const size = () => windowSize(stdout, isInline);
  const frame = new Frame({
    ...(view.program !== undefined && { program: view.program }),
    clock: systemClock,
    theme: view.theme ?? "default",
    terminal: terminalServices({
      erase: () => {
        if (layout === "window") stdout.write(cursorToBottom);
        instance?.clear();
      },
      suspend: (work) => suspendTerminal(terminal, stdin, work),
      write: (bytes) => stdout.write(bytes),
      environment,
    }),
    size,
    status: () => serverStatus(created?.watch, created?.chat.current?.serverLabel() ?? ""),
    agents: () => parts?.agents,
    serverUsers: () => parts?.server?.control?.users(),
    onLeave: (reason, keepsServer) => leave({ reason, ...(keepsServer && { keepsServer }) }),
  });
  const begin = async (): Promise<void> => {
    // The first frame does not wait for services that it does not show.
    const [prepared, { createScreens }] = await Promise.all([
      prepare(),
      import("./create-screens.ts"),
    ]);
    parts = prepared;
    created = await createScreens(parts, { isAscii, clock: systemClock, frame, layout });
    refreshWithServer(created.watch, frame);
    if (ending !== undefined) return;
    frame.start(created.screens, view.first);
    if (parts.notices?.length) frame.notify(parts.notices.join(" "));
  };
  const stopWatching = watchForEnd(stdin, stdout, (signal) => {
    if (signal === "SIGINT" && terminal.isSuspended) return;
    leave({ reason: "interrupted", ...(signal !== undefined && { signal }) });
  });
  let beginning: Promise<void> | undefined;
  let failure: unknown;
  try {
    if (!isPaintedFirst) await begin();
    const { onFrame } = view;
    const pace = new Pace(threadTimeMs);
    const onError = (error: Error): void => {
      failure = error;
      instance?.unmount();
    };
    const typedAhead = await readTypedAhead(stdin);
    // The terminal may have printed these keys in the row where the first frame starts.
    if (typedAhead !== "") stdout.write(eraseLine);
    for (const press of interpretTypedAhead(typedAhead)) frame.press(press);
    const isXtermJs = environment.TERM_PROGRAM === "vscode";
    const common = { frame, pace, clock: systemClock, layout, isXtermJs, terminal, onError };
    instance = render(<App {...common} />, {
      stdin,
      stdout: isAscii ? asciiOutput(stdout) : stdout,
      alternateScreen: layout === "window",
      isScreenReaderEnabled: isScreenReader,
      incrementalRendering: true,
      maxFps: framesPerSecondMaximum,
      onRender: () => {
        const tookMs = pace.drawn();
        onFrame?.(tookMs);
      },
      // Lines of `console` damage a frame on the same output; elsewhere they may pass.
      patchConsole: stdout === process.stdout,
      exitOnCtrlC: false,
      // With a CI variable set, even an empty one, Ink would paint nothing until the end.
      interactive: true,
      kittyKeyboard: { mode: "auto" },
    });
    if (isPaintedFirst) {
      await instance.waitUntilRenderFlush();
      beginning = begin().catch((error: unknown) => {
        failure = error;
        instance?.unmount();
      });
    }
    // The first frame may have failed before there was an instance.
    if (ending !== undefined || failure !== undefined) instance.unmount();
    await instance.waitUntilExit();
    // The last line stays on the terminal and has no line break.
    if (isScreenReader || isInline) stdout.write("\n");
  } finally {
    stopWatching();
    frame.close();
    // The screens may still be opening.
    await beginning;
    created?.watch?.stop();
    await Promise.all((created?.screens ?? []).map((screen) => screen.close()));
  }
  if (failure !== undefined) throw failure;
  const { transcript = [], saved } = created?.chat.current ?? {};
  return { ...(ending ?? { reason: "interrupted" }), transcript, saved };
}

/** Replaces symbols by ASCII in finished frames. Both take one cell, so Ink's layout stays right. */
function asciiOutput(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get(target, name) {
      if (name === "write") {
        return (text: string, done?: (error?: Error | null) => void) =>
          target.write(toAscii(text), done);
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Reads input that was typed before the program started. */
async function readTypedAhead(stdin: NodeJS.ReadStream): Promise<string> {
  let text = "";
  const take = (): void => {
    for (let piece = stdin.read(); piece !== null; piece = stdin.read()) text += piece;
  };
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("readable", take);
  // Node starts to read in this turn of the event loop and has the data in the next.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  stdin.off("readable", take);
  return text;
}

/** Repaints the tab bar when the server appears or disappears, on every screen. */
function refreshWithServer(watch: ServerWatch | undefined, frame: Frame): void {
  let wasDown = false;
  watch?.subscribe(() => {
    if (watch.isDown === wasDown) return;
    wasDown = watch.isDown;
    frame.refresh();
  });
}

/** @param label with the sign of a server that responds */
function serverStatus(watch: ServerWatch | undefined, label: string): string {
  return watch?.isDown ? `${label.replace("●", "✗")} down` : label;
}

/**
 * Returns the main thread's processor time, or that of all threads before Node 23.9: wall time would
 * count other programs on a busy machine.
 */
function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Takes 80x24 for an unknown size, as Ink does. */
function windowSize(stdout: NodeJS.WriteStream, isInline: boolean): WindowSize {
  const rows = stdout.rows || 24;
  return {
    columns: stdout.columns || 80,
    rows: isInline ? Math.min(rows, inlineRowsMaximum) : rows,
  };
}

/**
 * Calls `end` on a signal or when the terminal goes away.
 * @returns a function that removes the listeners
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
