// Gathers a runner's events and sends those of one step as one message, without outrunning the
// receiver.
import type { FromRunner, RequestEvent } from "./protocol.ts";

/** Messages that may be on their way; beyond it the engine waits before its next step. */
const highestInFlight = 64;

/**
 * A message wakes the server and its client, on cores that compute: text that comes sooner than a
 * frame of a screen after the last message waits for the next one.
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
  /** Requests whose first text has gone out. */
  readonly #begun = new Set<number>();

  constructor(send: (message: FromRunner, sent: () => void) => boolean) {
    this.#send = send;
  }

  /** Adds an event; neighbouring pieces of text of one request become one. */
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

  /** Log lines are never urgent: they are sent a few times a second. */
  log(text: string): void {
    this.#lines.push(text);
    this.#logTimer ??= setTimeout(() => this.#flushLog(), 100);
  }

  post(message: FromRunner): void {
    this.#flushLog();
    this.#dispatch(message);
  }

  /** Sends what is there; text in the middle of an answer may wait for a moment. */
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
