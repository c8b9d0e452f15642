// modelctl serve: hosts the server in this process until it is told to stop.
import { setInterval } from "node:timers";
import { type HostedServer, hostServer, isAlreadyRunning } from "../../application/server-host.ts";
import { createServerLog, logRequests } from "../../application/server-log.ts";
import { exitCodes } from "../../base/product-error.ts";
import type { Run } from "../program/definition.ts";
import { readSettings } from "../session-settings.ts";
import type { serverCommands } from "./server.definition.ts";

/** A background server exits when it has not been used for this long. */
const idleLimitMs = 5 * 60_000;

export const serve: Run<typeof serverCommands.serve> = async (_words, flags) => {
  const settings = readSettings(flags);
  const { log_format: format, debug, shutdown_timeout: shutdownMs } = settings.values;
  const serverLog = createServerLog(format ?? "pretty", (line) => process.stderr.write(line));
  const { log, announce } = serverLog;
  const signalled = firstSignal();
  let hosted: HostedServer;
  try {
    hosted = await hostServer({
      settings: settings.values,
      stateFolder: settings.paths.state,
      address: settings.address,
      log,
      paths: settings.paths,
      ...(flags.preload !== undefined && { preload: flags.preload }),
    });
  } catch (error) {
    // Started twice at the same time: the other one serves.
    if (flags.background && isAlreadyRunning(error)) return exitCodes.ok;
    throw error;
  }
  if (format !== undefined || debug) logRequests(hosted.requestLog, serverLog);
  for (const notice of hosted.notices) announce(notice);
  announce(`modelctl is listening on ${hosted.url}`);
  const code = await (flags.background
    ? Promise.race([signalled, untilIdle(hosted, idleLimitMs)])
    : Promise.race([signalled, untilLoadFails(hosted)]));
  stopAtOnceWhenAskedAgain(hosted, log);
  await hosted.drain(shutdownMs);
  await hosted.close();
  return code;
};

/**
 * Resolves with the exit code for the first signal. Also listens while the server starts: a first signal
 * then stops it once it runs, a second one at once.
 */
async function firstSignal(): Promise<number> {
  return await new Promise((resolve) => {
    process.once("SIGINT", () => resolve(exitCodes.interrupted));
    process.once("SIGTERM", () => resolve(exitCodes.ok));
    process.once("SIGHUP", () => resolve(exitCodes.ok));
  });
}

/** Never resolves. @throws ProductError if the model to preload cannot be loaded, after closing the server */
async function untilLoadFails(hosted: HostedServer): Promise<never> {
  try {
    await hosted.preloaded;
  } catch (error) {
    await hosted.close();
    throw error;
  }
  return await new Promise<never>(() => {});
}

/** Resolves once no model is loaded, no screen is open and no request came for the idle time. */
async function untilIdle(hosted: HostedServer, idleMs: number): Promise<number> {
  return await new Promise((resolve) => {
    let lastActive = Date.now();
    hosted.requestLog.follow(() => {
      lastActive = Date.now();
    });
    const timer = setInterval(() => {
      if (hosted.scheduler.models.length > 0 || hosted.watchers() > 0) lastActive = Date.now();
      if (Date.now() - lastActive < idleMs) return;
      clearInterval(timer);
      resolve(exitCodes.ok);
    }, 1000);
    // The listening server keeps the process running.
    timer.unref();
  });
}

/** npm repeats a Ctrl+C that the terminal sends to both processes. */
const sameSignalMs = 200;

/** A second signal stops without waiting. */
function stopAtOnceWhenAskedAgain(hosted: HostedServer, log: (text: string) => void): void {
  const firstAt = Date.now();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (Date.now() - firstAt < sameSignalMs) return;
      log("second signal: stopping at once");
      // Other runners notice that their parent has ended.
      for (const { runner } of hosted.scheduler.models) runner?.kill();
      process.exit(exitCodes.interrupted);
    });
  }
}
