// Line on a terminal that shows what the command waits for; nothing elsewhere.
import type { WriteStream } from "node:tty";
import type { ChatEvent } from "../client/chat-events.ts";

export class Progress {
  readonly #stream: WriteStream | NodeJS.WriteStream;
  #isShown = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(event: ChatEvent, model: string): void {
    if (!this.#stream.isTTY) return;
    const text = progressText(event, model);
    if (text === undefined) return;
    this.#isShown = true;
    this.#stream.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[K");
    this.#isShown = false;
  }
}

/** Returns the text for a wait; undefined for other events. */
export function progressText(event: ChatEvent, model: string): string | undefined {
  switch (event.type) {
    case "starting":
      return "starting the server";
    case "checking":
      return `checking ${event.file} ${percent(event.fraction)}`;
    case "loading":
      return `loading ${model} ${percent(event.fraction)}`;
    case "queued":
      return event.ahead === 0 ? "waiting, next in line" : `waiting, ${event.ahead} ahead`;
    case "prompt":
      // Short prompts are processed before anybody could look.
      return event.totalTokens < 500
        ? undefined
        : `reading ${event.totalTokens} tokens ${percent(event.completedTokens / event.totalTokens)}`;
    default:
      return undefined;
  }
}

function percent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}
