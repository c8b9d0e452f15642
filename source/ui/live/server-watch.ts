// How the server and its machine do: the samples of the last minute, and whether it answers.

import { RingBuffer } from "../../base/ring-buffer.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { followMetrics, type ServerSample } from "../../client/metrics.ts";
import { follow, type LinkState } from "./follow.ts";

/** One a second. */
const keptSamples = 60;

export interface ServerWatchOptions {
  /** The server now: it may be another one after a break. */
  readonly client: () => ApiClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #listeners = new Set<() => void>();
  readonly #samples = new RingBuffer<ServerSample>(keptSamples);
  #state: LinkState = { kind: "connecting" };
  #stop: (() => void) | undefined;

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The newest sample; undefined until there is one. It stays when the server goes. */
  get sample(): ServerSample | undefined {
    return this.samples.at(-1);
  }

  /** Oldest first. */
  get samples(): readonly ServerSample[] {
    return this.#samples.toArray();
  }

  /** Milliseconds since the newest sample, once the server does not answer; else undefined. */
  get staleMs(): number | undefined {
    const { sample } = this;
    if (this.#state.kind !== "down" || sample === undefined) return undefined;
    return Math.max(0, this.#options.now() - sample.time);
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
        this.#tell();
      },
      onState: (state) => {
        this.#state = state;
        this.#tell();
      },
      now: this.#options.now,
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
