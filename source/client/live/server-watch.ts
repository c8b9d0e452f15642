// Watches server and machine: samples of the last minute, and the connection's state.

import { Store } from "../../base/store.ts";
import type { ApiClient } from "../api-client.ts";
import { followMetrics, type ServerSample } from "../metrics.ts";
import { follow, type LinkState } from "./follow.ts";

/** A minute of samples, one per second. */
const keptSamples = 60;

/** State of the server at one moment. */
export interface WatchedServer {
  readonly link: LinkState;
  /** Oldest first; kept when the server goes away. */
  readonly samples: readonly ServerSample[];
}

export class ServerWatch extends Store<WatchedServer> {
  readonly #client: () => ApiClient;
  #stop: (() => void) | undefined;

  /** @param client the current server: it may change after a disconnect */
  constructor(client: () => ApiClient) {
    super({ link: { kind: "connecting" }, samples: [] });
    this.#client = client;
  }

  get isDown(): boolean {
    return this.get().link.kind === "down";
  }

  /** The newest sample, also after the server goes away; undefined before the first. */
  get sample(): ServerSample | undefined {
    return this.get().samples.at(-1);
  }

  get url(): string {
    return this.#client().connection.url;
  }

  /** Starts sampling; a second call changes nothing. */
  start(): void {
    this.#stop ??= follow({
      open: (signal) => followMetrics(this.#client(), signal),
      onItem: (sample) =>
        this.update({ samples: [...this.get().samples, sample].slice(-keptSamples) }),
      onState: (link) => this.update({ link }),
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/**
 * Returns the milliseconds since the newest sample when the server does not answer; else undefined.
 *
 * @param now milliseconds since 1970
 */
export function staleMs({ link, samples }: WatchedServer, now: number): number | undefined {
  const sample = samples.at(-1);
  if (link.kind !== "down" || sample === undefined) return undefined;
  return Math.max(0, now - sample.time);
}
