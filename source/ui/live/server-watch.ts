// Watches the server and its machine: samples of the last minute, state of the connection.

import { RingBuffer } from "../../base/ring-buffer.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { followMetrics, type ServerSample } from "../../client/metrics.ts";
import { Store } from "../hooks/store.ts";
import { follow, type LinkState } from "./follow.ts";

/** A minute of them: one comes each second. */
const keptSamples = 60;

export interface ServerWatchOptions {
  /** The server now: it may be another one after a break. */
  readonly client: () => ApiClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The server at one moment. */
export interface WatchedServer {
  readonly link: LinkState;
  /** Oldest first; they stay when the server goes. */
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

  /** The newest sample; undefined until there is one. It stays when the server goes. */
  get sample(): ServerSample | undefined {
    return this.get().samples.at(-1);
  }

  /** Milliseconds since the newest sample, once the server does not answer; else undefined. */
  get staleMs(): number | undefined {
    return staleMs(this.get(), this.#options.now());
  }

  get url(): string {
    return this.#options.client().connection.url;
  }

  /** Begins to sample; a second call changes nothing. */
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
 * Milliseconds since the newest sample, once the server does not answer; else undefined.
 *
 * @param now milliseconds since 1970
 */
export function staleMs({ link, samples }: WatchedServer, now: number): number | undefined {
  const sample = samples.at(-1);
  if (link.kind !== "down" || sample === undefined) return undefined;
  return Math.max(0, now - sample.time);
}
