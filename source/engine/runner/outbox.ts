// Outgoing events of a runner: sends the events of one step as one message, with backpressure.
import type { FromRunner, RequestEvent } from "./protocol.ts";

/** Messages in flight; beyond this the engine waits before its next step. */
const highestInFlight = 64;

/**
 * Text that follows a message within a screen frame waits for the next one, since each message wakes
 * the server and its client on cores that compute.
 */
const textIntervalMs = 40;

export class Outbox {
  readonly #send: (message: FromRunner, sent: () => void) => boolean;
  #events: RequestEvent[] = [];
  #lines: string[] = [];
  #inFlight = 0;
  #waiting: (() => void) | undefined;
  #logTimer: NodeJS.Timeout | undefined;
  #textTimer: NodeJS.Timeout | undefined;
  #lastSent = 0;
  /** Requests whose first text was sent. */
  readonly #begun = new Set<number>();

  constructor(send: (message: FromRunner, sent: () => void) => boolean) {
    this.#send = send;
  }

  /** Adds an event; joins it to the last one if both are text of the same request. */
  add(event: RequestEvent): void {
    const last = this.#events.at(-1);
    if (event.type === "text" && last?.type === "text" && last.id === event.id) {
      const logprobs = [...(last.logprobs ?? []), ...(event.logprobs ?? [])];
      this.#events[this.#events.length - 1] = {
        ...event,
        text: last.text + event.text,
        ...(logprobs.length > 0 && { logprobs }),
      };
      return;
    }
    this.#events.push(event);
  }

  /** Adds log lines, which are sent a few times a second. */
  log(text: string): void {
    this.#lines.push(text);
    this.#logTimer ??= setTimeout(() => this.#flushLog(), 100);
  }

  post(message: FromRunner): void {
    this.#flushLog();
    this.#dispatch(message);
  }

  /** Sends pending events; text in the middle of an answer may be delayed briefly. */
  flush(): void {
    if (this.#events.length === 0) return;
    const sinceMs = performance.now() - this.#lastSent;
    if (sinceMs < textIntervalMs && this.#events.every((event) => this.#canWait(event))) {
      this.#textTimer ??= setTimeout(() => this.#sendEvents(), textIntervalMs - sinceMs);
      return;
    }
    this.#sendEvents();
  }

  #canWait(event: RequestEvent): boolean {
    return event.type === "text" && this.#begun.has(event.id);
  }

  #sendEvents(): void {
    clearTimeout(this.#textTimer);
    this.#textTimer = undefined;
    const events = this.#events;
    this.#events = [];
    this.#lastSent = performance.now();
    for (const { id, type } of events) {
      if (type === "text") this.#begun.add(id);
      else if (type === "done" || type === "failed") this.#begun.delete(id);
    }
    this.#dispatch({ type: "events", events });
  }

  async ready(): Promise<void> {
    if (this.#inFlight <= highestInFlight) return;
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
    });
  }

  #flushLog(): void {
    clearTimeout(this.#logTimer);
    this.#logTimer = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#dispatch({ type: "log", lines });
  }

  #dispatch(message: FromRunner): void {
    this.#inFlight += 1;
    this.#send(message, () => {
      this.#inFlight -= 1;
      if (this.#inFlight > highestInFlight || this.#waiting === undefined) return;
      this.#waiting();
      this.#waiting = undefined;
    });
  }
}
