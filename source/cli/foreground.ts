// The process in the shell's foreground. It starts another one for the screen and the server, which can
// outlive it: a process cannot leave the foreground by itself.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { constants, devNull } from "node:os";
import { isatty } from "node:tty";

/** Environment variable that passes the id of the process in the foreground. */
const variable = "MODELCTL_FOREGROUND";

/** Flags with which no screen is opened. */
const otherwise = new Set(["--help", "-h", "--version", "-v", "--plain", "--json", "--"]);

/** Signals that may be sent to the process that the shell knows, and to it alone. */
const endingSignals = ["SIGHUP", "SIGTERM"] as const;

type EndingSignal = (typeof endingSignals)[number];

/** A signal to both processes, as of a closed terminal, arrives twice within this time. */
const sameSignalMs = 1000;

const isHeld = process.send !== undefined && process.env[variable] === String(process.ppid);

const receivedAtMs = new Map<EndingSignal, number>();

/** True for a command line that may open a screen, which this process is to wait for. */
export function needsForeground(words: readonly string[]): boolean {
  const [first = "-"] = words;
  const mayOpenScreen = first === "run" || first.startsWith("-");
  const isOnTerminal = isatty(0) && isatty(1) && process.env.TERM !== "dumb";
  return mayOpenScreen && isOnTerminal && !isHeld && !words.some((word) => otherwise.has(word));
}

/** Starts this program again, and exits when that one does, or when it leaves the foreground. */
export function holdForeground(): void {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [variable]: String(process.pid) },
  });
  child.once("error", (error) => {
    process.stderr.write(`Error: Cannot start another process: ${error.message}.\n`);
    process.exit(1);
  });
  child.on("message", (code: number) => process.exit(code));
  child.once("exit", (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
  // The terminal sends these to both.
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => {});
  for (const signal of endingSignals) {
    process.on(signal, () => {
      if (child.connected) child.send(signal);
    });
  }
}

/** Makes this process end with the one in the foreground, if there is one. */
export function followForeground(): void {
  if (!isHeld) return;
  // Not for programs that are started from here.
  delete process.env[variable];
  for (const signal of endingSignals) process.on(signal, receive);
  process.on("message", pass);
  process.on("disconnect", hangUp);
  process.channel?.unref();
}

/**
 * Gives the terminal back to the shell, which continues at once. This process goes on without one.
 *
 * @param code exit code that the shell gets
 * @param logFile receives the last words of Node if this process crashes
 */
export async function leaveForeground(code: number, logFile: string): Promise<void> {
  if (!isHeld) return;
  process.off("message", pass);
  process.off("disconnect", hangUp);
  releaseTerminal(logFile);
  const left = Promise.withResolvers<void>();
  process.once("disconnect", left.resolve);
  process.send?.(code);
  await left.promise;
}

function hangUp(): void {
  pass("SIGHUP");
}

/** Passes on a signal that the process in the foreground received. */
function pass(signal: EndingSignal): void {
  if (!isRepeated(signal)) process.emit(signal, signal);
}

/** Ends this process if nothing else handles the signal, as it does without a listener. */
function receive(signal: EndingSignal): void {
  const isHandled = isRepeated(signal) || process.listenerCount(signal) > 1;
  receivedAtMs.set(signal, performance.now());
  if (!isHandled) process.exit(128 + constants.signals[signal]);
}

function isRepeated(signal: EndingSignal): boolean {
  return performance.now() - (receivedAtMs.get(signal) ?? -Infinity) < sameSignalMs;
}

/**
 * Replaces the standard streams. An open terminal would keep ssh from logging out, and Node would reset
 * its mode, under another program, when this process ends.
 */
function releaseTerminal(logFile: string): void {
  process.stdin.destroy();
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners("error");
    stream.on("error", () => {});
    // Node's own `destroy` leaves these two open.
    if (stream instanceof Socket) Socket.prototype._destroy.call(stream, null, () => {});
  }
  // Windows has no such numbers.
  if (process.platform === "win32") return;
  for (const [number, file] of [devNull, logFile, logFile].entries()) {
    closeSync(number);
    // Takes the lowest free number.
    openSync(file, number === 0 ? "r" : "a");
  }
}
