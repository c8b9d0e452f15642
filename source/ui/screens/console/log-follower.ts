// Follows the log of the selected deployment into a buffer, and reconnects.

import type { LogDocument } from "../../../cloud/admin/documents.ts";
import { follow } from "../../live/follow.ts";
import type { CloudServer } from "../cloud-access.ts";
import type { LogBuffer } from "./log-buffer.ts";

/** Lines from before the log was opened. */
const earlierLines = 500;
/** Delay, so that moving through a table does not open each log. */
const settledMs = 200;

export interface LogFollowerOptions {
  readonly server: () => CloudServer;
  readonly log: LogBuffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class LogFollower {
  readonly #options: LogFollowerOptions;
  #app: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stop: (() => void) | undefined;
  /** The last line of each replica: some lines repeat after a reconnect. */
  #seen = new Map<string, LogDocument>();

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** @param app undefined: none */
  turnTo(app: string | undefined): void {
    if (app === this.#app) return;
    this.close();
    this.#app = app;
    if (app === undefined) return;
    this.#timer = setTimeout(() => this.#follow(app), settledMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop?.();
    this.#stop = undefined;
    this.#app = undefined;
    this.#seen = new Map();
    this.#options.log.clear();
  }

  #follow(app: string): void {
    const { server, log, now } = this.#options;
    this.#stop = follow({
      open: (signal) => {
        const sinceMs = log.newest?.ts;
        const from = sinceMs === undefined ? { lines: earlierLines } : { sinceMs };
        return server().client.logs(app, { follow: true, signal, ...from });
      },
      onItem: (line: LogDocument) => {
        if (this.#isNew(line)) log.push(line);
      },
      // Polling shows a broken connection.
      onState: () => {},
      now,
    });
  }

  #isNew(line: LogDocument): boolean {
    const source = `${line.revision}/${line.replica}`;
    const last = this.#seen.get(source);
    if (last !== undefined && last.seq >= line.seq && last.ts >= line.ts) return false;
    this.#seen.set(source, line);
    return true;
  }
}
