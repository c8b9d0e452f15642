// What the console knows of a control plane: read again and again while somebody looks, kept when it stops.

import { describeError, ProductError } from "../../../base/product-error.ts";
import type {
  AppDocument,
  EventDocument,
  KeyDocument,
  ReplicaDocument,
  ServerStatus,
} from "../../../cloud/admin/documents.ts";
import { follow } from "../../live/follow.ts";
import type { CloudServer } from "../cloud-access.ts";
import { Poll } from "../models/poll.ts";
import { FigureBook, nameOf } from "./app-figures.ts";

export type FeedLink =
  | { readonly kind: "connecting" }
  | { readonly kind: "up" }
  /** `isUnreachable`: nobody is there, so that this machine's own could be started. */
  | {
      readonly kind: "down";
      readonly sentence: string;
      readonly isUnreachable: boolean;
      readonly sinceMs: number;
    };

const intervalMs = 1000;
/** Every so many readings. */
const usageEvery = 2;
const keysEvery = 5;
const keptEvents = 500;
const earlierEventsMs = 24 * 3_600_000;
const hourMs = 3_600_000;

export interface ConsoleFeedOptions {
  readonly server: CloudServer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onChange: () => void;
}

export class ConsoleFeed {
  readonly server: CloudServer;
  readonly figures = new FigureBook();
  readonly #options: ConsoleFeedOptions;
  readonly #poll: Poll;
  #link: FeedLink = { kind: "connecting" };
  #status: ServerStatus | undefined;
  #apps: readonly AppDocument[] = [];
  #replicas: readonly ReplicaDocument[] = [];
  #keys: readonly KeyDocument[] = [];
  #events: readonly EventDocument[] = [];
  #readAtMs: number | undefined;
  #round = 0;
  #stopEvents: (() => void) | undefined;

  constructor(options: ConsoleFeedOptions) {
    this.#options = options;
    this.server = options.server;
    this.#poll = new Poll(() => this.#read(), intervalMs);
  }

  get link(): FeedLink {
    return this.#link;
  }

  get status(): ServerStatus | undefined {
    return this.#status;
  }

  /** By name. */
  get apps(): readonly AppDocument[] {
    return this.#apps;
  }

  /** Active ones first. */
  get keys(): readonly KeyDocument[] {
    return this.#keys;
  }

  /** How old the figures are; undefined before there are any. */
  get ageMs(): number | undefined {
    return this.#readAtMs === undefined ? undefined : this.#options.now() - this.#readAtMs;
  }

  /** Those that live first, the newest of them first. */
  replicasOf(name: string): ReplicaDocument[] {
    return this.#replicas.filter((replica) => nameOf(replica) === name);
  }

  /** Newest first. */
  eventsOf(name: string): EventDocument[] {
    return this.#events.filter((event) => nameOf(event) === name).reverse();
  }

  /** Oldest first, of all apps. */
  get events(): readonly EventDocument[] {
    return this.#events;
  }

  start(): void {
    this.#poll.start();
    this.#stopEvents ??= follow({
      open: (signal) => this.server.events({ follow: true, signal, sinceMs: this.#eventsSince() }),
      onItem: (event: EventDocument) => this.#takeEvent(event),
      // Whether the server answers is told by what is polled.
      onState: () => {},
      now: this.#options.now,
    });
  }

  stop(): void {
    this.#poll.stop();
    this.#stopEvents?.();
    this.#stopEvents = undefined;
  }

  /** Keys too: something has just been changed. */
  async refresh(): Promise<void> {
    this.#round = 0;
    await this.#poll.now();
  }

  async #read(): Promise<void> {
    const { server } = this;
    const { now, onChange } = this.#options;
    const round = this.#round;
    this.#round += 1;
    const hour = Math.floor(now() / hourMs) * hourMs;
    try {
      const [apps, replicas, usage, keys, status] = await Promise.all([
        server.apps(),
        server.replicas(),
        round % usageEvery === 0 ? server.usage(hour) : undefined,
        round % keysEvery === 0 ? server.keys() : undefined,
        round % keysEvery === 0 ? server.status() : undefined,
      ]);
      const readAtMs = now();
      this.#apps = apps.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
      this.#replicas = sortedReplicas(replicas);
      this.figures.takeApps(apps);
      if (usage !== undefined) this.figures.takeUsage(usage, apps.map(nameOf), readAtMs);
      if (keys !== undefined) this.#keys = sortedKeys(keys);
      if (status !== undefined) this.#status = status;
      this.#readAtMs = readAtMs;
      this.#link = { kind: "up" };
    } catch (error) {
      this.#goDown(error);
    }
    onChange();
  }

  /** What was known stays on show. */
  #goDown(error: unknown): void {
    const sinceMs = this.#link.kind === "down" ? this.#link.sinceMs : this.#options.now();
    const isUnreachable =
      error instanceof ProductError && error.code === "CLOUD_SERVER_UNREACHABLE";
    this.#link = { kind: "down", sentence: describeError(error), isUnreachable, sinceMs };
    // Everything is asked for once it is back.
    this.#round = 0;
  }

  #takeEvent(event: EventDocument): void {
    this.#events = [...this.#events, event].slice(-keptEvents);
    this.#options.onChange();
  }

  #eventsSince(): number {
    const newest = this.#events.at(-1);
    return newest === undefined ? this.#options.now() - earlierEventsMs : newest.at + 1;
  }
}

function sortedReplicas(replicas: readonly ReplicaDocument[]): ReplicaDocument[] {
  return replicas.toSorted(
    (a, b) =>
      Number(a.exit !== undefined) - Number(b.exit !== undefined) || b.startedAt - a.startedAt,
  );
}

/** Those that are good for something first, the newest of them first. */
function sortedKeys(keys: readonly KeyDocument[]): KeyDocument[] {
  return keys.toSorted(
    (a, b) =>
      Number(b.state === "active") - Number(a.state === "active") || b.createdAt - a.createdAt,
  );
}
