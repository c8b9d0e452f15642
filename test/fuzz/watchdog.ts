// Ends the run when a round holds up its thread: a timer of the same thread could not tell.
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

  /** @param reproduction said when nothing else comes for half a minute of an idle machine */
  watch(reproduction: string): void {
    this.#worker.postMessage(reproduction);
  }

  /** Nothing is under way. */
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
