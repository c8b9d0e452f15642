// Watchdog that ends the run when a round blocks its thread, which a timer on that thread cannot detect.
import { writeSync } from "node:fs";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { FairClock } from "./fair-clock.ts";

const suspectMs = 10_000;
const limitMs = 20_000;
const lookMs = 1000;

export class Watchdog {
  readonly #worker = new Worker(new URL(import.meta.url));

  constructor() {
    this.#worker.unref();
  }

  /** @param reproduction printed when the thread is blocked for half a minute on an idle machine */
  watch(reproduction: string): void {
    this.#worker.postMessage(reproduction);
  }

  /** Marks that no round is running. */
  rest(): void {
    this.#worker.postMessage(undefined);
  }
}

if (!isMainThread && parentPort !== null) {
  let timer: NodeJS.Timeout | undefined;
  parentPort.on("message", (reproduction: string | undefined) => {
    clearTimeout(timer);
    if (reproduction === undefined) return;
    timer = setTimeout(() => {
      const clock = new FairClock();
      timer = setInterval(() => {
        if (clock.elapsedMs() < limitMs) return;
        const seconds = (suspectMs + limitMs) / 1000;
        writeSync(2, `\nThe thread was held for ${seconds} s by ${reproduction}\n`);
        process.kill(process.pid, "SIGKILL");
      }, lookMs);
    }, suspectMs);
  });
}
