// The server's request log, kept up to date while it is shown.

import { Observable } from "../../base/store.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";
import type { ApiClient } from "../api-client.ts";
import { followRequestRecords } from "../requests.ts";
import { follow } from "./follow.ts";

/** The server's own limit. */
const keptEntries = 5000;

/** Returns a unique key: ids restart with each server. */
export function keyOf({ startedAt, id }: RequestRecord): string {
  return `${startedAt} ${id}`;
}

export class RequestFeed extends Observable {
  readonly #client: () => ApiClient;
  readonly #entries = new Map<string, RequestRecord>();
  #sorted: readonly RequestRecord[] | undefined;
  #stop: (() => void) | undefined;

  constructor(client: () => ApiClient) {
    super();
    this.#client = client;
  }

  /** Oldest first; replaced by a new array on every change. */
  readonly get = (): readonly RequestRecord[] => {
    this.#sorted ??= [...this.#entries.values()].sort((a, b) => a.startedAt - b.startedAt);
    return this.#sorted;
  };

  /** Starts following; a second call changes nothing. */
  start(): void {
    this.#stop ??= follow({
      open: (signal) => followRequestRecords(this.#client(), {}, signal),
      onItem: (view) => this.#put(view),
      onState: (state) => {
        if (state.kind === "down") this.#loseRunning();
      },
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #put(view: RequestRecord): void {
    this.#entries.set(keyOf(view), view);
    if (this.#entries.size > keptEntries) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.tell();
  }

  /** Marks running requests as lost; a server that still runs sends them again. */
  #loseRunning(): void {
    for (const [key, view] of this.#entries) {
      if (view.state !== "running") continue;
      const error = { code: "CLIENT_SERVER_VANISHED", message: "connection to the server lost" };
      this.#entries.set(key, { ...view, state: "done", error });
    }
    this.tell();
  }

  protected override tell(): void {
    this.#sorted = undefined;
    super.tell();
  }
}
