// Lifetime of a server in this process: when it ends, and in which order.
import { setInterval } from "node:timers";
import type { HostedServer } from "../application/local-server/server-host.ts";
import { exitCodes } from "../base/product-error.ts";

/** A background server exits when it has not been used for this long. */
const idleLimitMs = 5 * 60_000;

export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm repeats a Ctrl+C that the terminal sends to both processes. */
const sameSignalMs = 200;

/**
 * Resolves with the exit code for the first signal. Also listens while the server starts: a first signal
 * then stops it once it runs, a second one at once.
 */
export async function firstSignal(signals: readonly NodeJS.Signals[]): Promise<number> {
  return await new Promise((resolve) => {
    for (const signal of signals) {
      process.once(signal, () =>
        resolve(signal === "SIGINT" ? exitCodes.interrupted : exitCodes.ok),
      );
    }
  });
}

/** Resolves once no model is loaded, no screen is open and no request came for the idle time. */
export async function untilIdle(hosted: HostedServer): Promise<number> {
  return await new Promise((resolve) => {
    let lastActive = Date.now();
    hosted.requestLog.follow(() => {
      lastActive = Date.now();
    });
    const timer = setInterval(() => {
      if (hosted.scheduler.models.length > 0 || hosted.watchers() > 0) lastActive = Date.now();
      if (Date.now() - lastActive < idleLimitMs) return;
      clearInterval(timer);
      resolve(exitCodes.ok);
    }, 1000);
    // The listening server keeps the process running.
    timer.unref();
  });
}

/** Lets running requests end within the limit, and closes the server; a second signal does not wait. */
export async function endServer(hosted: HostedServer, limitMs: number): Promise<void> {
  const firstAt = Date.now();
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (Date.now() - firstAt < sameSignalMs) return;
      hosted.log("second signal: stopping at once");
      // Other runners notice that their parent has ended.
      for (const { runner } of hosted.scheduler.models) runner?.kill();
      process.exit(exitCodes.interrupted);
    });
  }
  await hosted.drain(limitMs);
  await hosted.close();
}
