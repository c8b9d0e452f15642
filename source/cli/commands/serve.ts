// modelctl serve: hosts the server in this process until it is told to stop.
import { setInterval } from "node:timers";
import { logLine } from "../../application/log-file.ts";
import { type HostedServer, hostServer, isAlreadyRunning } from "../../application/server-host.ts";
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { readSettings } from "../session-settings.ts";

/** A background server leaves when no model is loaded and nothing was asked for so long. */
const idleLimitMs = 5 * 60_000;

export async function serve(words: string[], flags: Flags): Promise<number> {
  if (words.length > 0) {
    throw usageError(`serve takes no '${words[0]}'.`, "Settings are flags: see modelctl --help.");
  }
  const settings = readSettings(flags);
  const log = (text: string) => process.stderr.write(logLine(text));
  let hosted: HostedServer;
  try {
    hosted = await hostServer({
      settings: settings.values,
      stateFolder: settings.paths.state,
      address: settings.address,
      log,
      ...(flags.preload !== undefined && { preload: flags.preload }),
    });
  } catch (error) {
    // Two commands started one at the same time: the faster one serves both.
    if (flags.background && isAlreadyRunning(error)) return exitCodes.ok;
    throw error;
  }
  for (const notice of hosted.notices) process.stderr.write(`${notice}\n`);
  process.stderr.write(`modelctl is listening on ${hosted.url}\n`);
  const code = await untilStopped(hosted, flags.background ? idleLimitMs : undefined);
  await hosted.close();
  return code;
}

async function untilStopped(hosted: HostedServer, idleMs: number | undefined): Promise<number> {
  return await new Promise((resolve) => {
    process.once("SIGINT", () => resolve(exitCodes.interrupted));
    process.once("SIGTERM", () => resolve(exitCodes.ok));
    process.once("SIGHUP", () => resolve(exitCodes.ok));
    if (idleMs === undefined) return;
    let lastActive = Date.now();
    hosted.requestLog.follow(() => {
      lastActive = Date.now();
    });
    const timer = setInterval(() => {
      if (hosted.scheduler.models.length > 0) lastActive = Date.now();
      if (Date.now() - lastActive < idleMs) return;
      clearInterval(timer);
      resolve(exitCodes.ok);
    }, 1000);
    // The listening server keeps the process up; the look at the clock must not.
    timer.unref();
  });
}
