// Watches server and machine: samples of the last minute, and the connection's state.

import { RingBuffer } from "../../base/ring-buffer.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { followMetrics, type ServerSample } from "../../client/metrics.ts";
import { Store } from "../hooks/store.ts";
import { follow, type LinkState } from "./follow.ts";

/** A minute of samples, one per second. */
const keptSamples = 60;

export interface ServerWatchOptions {
  /** The current server: it may change after a disconnect. */
  readonly client: () => ApiClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** State of the server at one moment. */
export interface WatchedServer {
  readonly link: LinkState;
  /** Oldest first; kept when the server goes away. */
  readonly samples: readonly ServerSample[];
}

export class ServerWatch extends Store<WatchedServer> {
  readonly #options: ServerWatchOptions;
  readonly #samples = new RingBuffer<ServerSample>(keptSamples);
  #stop: (() => void) | undefined;

  constructor(options: ServerWatchOptions) {
    super({ link: { kind: "connecting" }, samples: [] });
    this.#options = options;
  }

  get state(): LinkState {
    return this.get().link;
  }

  /** The newest sample, also after the server goes away; undefined before the first. */
  get sample(): ServerSample | undefined {
    return this.get().samples.at(-1);
  }

  /** Milliseconds since the newest sample when the server does not answer; else undefined. */
  get staleMs(): number | undefined {
    return staleMs(this.get(), this.#options.now());
  }

  get url(): string {
    return this.#options.client().connection.url;
  }

  /** Starts sampling; a second call changes nothing. */
  start(): void {
    this.#stop ??= follow({
      open: (signal) => followMetrics(this.#options.client(), signal),
      onItem: (sample) => {
        this.#samples.push(sample);
        this.update({ samples: this.#samples.toArray() });
      },
      onState: (link) => this.update({ link }),
      now: this.#options.now,
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
