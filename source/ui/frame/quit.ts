// Quitting the program: Ctrl+C twice, and a question when others use its server.

import type { Clock } from "../../base/clock.ts";
import { quitNotice } from "../../chat/commands/slash-commands.ts";
import type { FrameServices } from "./screen.ts";

/** A second Ctrl+C within this time quits. */
const interruptWindowMs = 2000;

export type QuitReason = "bye" | "interrupted";

export interface QuitOptions {
  readonly clock: Clock;
  /** Names other clients of the server that ends with this program. Defaults to none. */
  readonly serverUsers?: () => string | undefined;
  readonly onLeave: (reason: QuitReason, keepsServer: boolean) => void;
}

export class Quit {
  readonly #options: QuitOptions;
  readonly #choose: FrameServices["choose"];
  #isAsking = false;
  #interruptedAtMs = -Infinity;

  constructor(options: QuitOptions, choose: FrameServices["choose"]) {
    this.#options = options;
    this.#choose = choose;
  }

  /** Ends the program; asks first when others would lose their server. */
  leave(reason: QuitReason): void {
    const users = this.#options.serverUsers?.();
    if (users === undefined) this.#options.onLeave(reason, false);
    else if (!this.#isAsking) void this.#ask(reason, users);
  }

  /** Handles Ctrl+C. @returns a notice for the first press */
  interrupt(): string | undefined {
    const nowMs = this.#options.clock.now();
    const isSecond = nowMs - this.#interruptedAtMs <= interruptWindowMs;
    this.#interruptedAtMs = nowMs;
    if (!isSecond) return quitNotice;
    this.leave("interrupted");
    return undefined;
  }

  async #ask(reason: QuitReason, users: string): Promise<void> {
    this.#isAsking = true;
    const answer = await this.#choose(`Quit? ${users}`, [
      { value: "keep", title: "Quit and keep the server running in the background" },
      { value: "stop", title: "Quit and stop the server", note: "after running requests end" },
    ]);
    this.#isAsking = false;
    if (answer !== undefined) this.#options.onLeave(reason, answer === "keep");
  }
}
