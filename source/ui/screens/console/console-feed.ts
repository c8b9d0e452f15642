// Polls a control plane while the console is open, and follows its events and one log.

import { describeError, ProductError } from "../../../base/product-error.ts";
import type { Store } from "../../../base/store.ts";
import { follow } from "../../../client/live/follow.ts";
import { Poll } from "../../../client/live/poll.ts";
import type {
  EventDocument,
  KeyDocument,
  LogDocument,
  ReplicaDocument,
} from "../../../cloud/admin/documents.ts";
import type { CloudAccess, CloudServer } from "../../app/cloud-access.ts";
import { FigureHistory } from "./app-figures.ts";
import {
  type CloudState,
  type ConsoleState,
  initialState,
  selectedApp,
  withCloud,
} from "./console-state.ts";
import { nameOf } from "./console-texts.ts";
import type { DetailsFacts } from "./detail-lines.ts";
import type { LogBuffer } from "./log-buffer.ts";

const intervalMs = 1000;
/** Usage and keys are polled once in so many readings. */
const usageEvery = 2;
const keysEvery = 5;
const keptEvents = 500;
const earlierEventsMs = 24 * 3_600_000;
const hourMs = 3_600_000;
/** Lines from before the log was opened. */
const earlierLines = 500;
/** A log is opened after this time, so that moving through the table does not open each. */
const settledMs = 200;

export interface ConsoleFeedOptions {
  readonly cloud: CloudAccess;
  /** The initial server. */
  readonly server: CloudServer;
  readonly store: Store<ConsoleState>;
  readonly log: LogBuffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly notify: (sentence: string) => void;
}

export class ConsoleFeed {
  readonly #options: ConsoleFeedOptions;
  #server: CloudServer;
  #figures = new FigureHistory();
  #poll = new Poll(() => this.#read(), intervalMs);
  #round = 0;
  #stopEvents: (() => void) | undefined;
  /** The deployment whose log is followed. */
  #followed: string | undefined;
  #stopLog: (() => void) | undefined;
  #isOn = false;

  constructor(options: ConsoleFeedOptions) {
    this.#options = options;
    this.#server = options.server;
    options.store.subscribe(() => this.#followSelected());
  }

  get server(): CloudServer {
    return this.#server;
  }

  start(): void {
    this.#isOn = true;
    this.#poll.start();
    const server = this.#server;
    this.#stopEvents ??= follow({
      open: (signal) =>
        server.client.events({ follow: true, signal, sinceMs: this.#eventsSince() }),
      onItem: (event) => this.#takeEvent(event),
    });
    this.#followSelected();
  }

  stop(): void {
    this.#isOn = false;
    this.#poll.stop();
    this.#stopEvents?.();
    this.#stopEvents = undefined;
    this.#followSelected();
  }

  /** Polls at once, keys included, after a change. */
  async refresh(): Promise<void> {
    this.#round = 0;
    await this.#poll.now();
  }

  /** Switches to another server and drops the data of the old one. */
  turnTo(profile: string): void {
    const { cloud, store } = this.#options;
    const server = cloud.server(profile);
    this.stop();
    this.#server = server;
    this.#figures = new FigureHistory();
    this.#poll = new Poll(() => this.#read(), intervalMs);
    this.#round = 0;
    store.update(initialState(server.target));
    this.start();
  }

  /** Returns the facts of a deployment; undefined if it is gone, or about to be. */
  async detailsOf(name: string): Promise<DetailsFacts | undefined> {
    const { client } = this.#server;
    try {
      const [details, revisions, replicas] = await Promise.all([
        client.app(name),
        client.revisions(name),
        client.replicas(name),
      ]);
      if (details.state === "DELETING") return undefined;
      const isCallable = details.activeRevision !== undefined;
      const callLines = isCallable ? this.#server.callLines(details) : [];
      return { details, revisions, replicas, callLines };
    } catch (error) {
      if (error instanceof ProductError && error.code === "CLOUD_APP_UNKNOWN") return undefined;
      throw error;
    }
  }

  async #read(): Promise<void> {
    const { now } = this.#options;
    const server = this.#server;
    const round = this.#round;
    this.#round += 1;
    const hour = Math.floor(now() / hourMs) * hourMs;
    try {
      const { client } = server;
      const [apps, replicas, usage, keys, status] = await Promise.all([
        client.apps(),
        client.replicas(),
        round % usageEvery === 0 ? client.usage({ sinceMs: hour }) : undefined,
        round % keysEvery === 0 ? client.keys() : undefined,
        round % keysEvery === 0 ? client.status() : undefined,
        this.#readDetails(server),
      ]);
      if (server !== this.#server) return;
      const readAtMs = now();
      const figures = this.#figures;
      figures.take(apps, usage, readAtMs);
      this.#tell({
        link: { kind: "up" },
        apps: apps.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
        replicas: sortedReplicas(replicas),
        ...(keys !== undefined && { keys: sortedKeys(keys) }),
        ...(status !== undefined && { status }),
        figuresOf: (name) => figures.of(name),
        readAtMs,
      });
    } catch (error) {
      if (server === this.#server) this.#goDown(error);
    }
  }

  /** Updates the open details, and closes them once their deployment is gone. */
  async #readDetails(server: CloudServer): Promise<void> {
    const { store, notify } = this.#options;
    const name = shownDetails(store.get());
    if (name === undefined) return;
    const facts = await this.detailsOf(name);
    const { details } = store.get();
    const isClosed = details === undefined || shownDetails(store.get()) !== name;
    if (isClosed || server !== this.#server) return;
    store.update({ details: facts && { ...details, facts } });
    if (facts === undefined) notify(`${name} is deleted`);
  }

  /** Earlier data stays visible. */
  #goDown(error: unknown): void {
    const isUnreachable =
      error instanceof ProductError && error.code === "CLOUD_SERVER_UNREACHABLE";
    // Everything is polled again once the server is back.
    this.#round = 0;
    this.#tell({ link: { kind: "down", sentence: describeError(error), isUnreachable } });
  }

  #takeEvent(event: EventDocument): void {
    const { events } = this.#options.store.get().cloud;
    this.#tell({ events: [...events, event].slice(-keptEvents) });
  }

  #tell(change: Partial<CloudState>): void {
    const { store } = this.#options;
    const state = store.get();
    store.update(withCloud(state, { ...state.cloud, ...change }));
  }

  #followSelected(): void {
    const { store, log } = this.#options;
    const selected = this.#isOn ? selectedApp(store.get()) : undefined;
    const app = selected && nameOf(selected);
    if (app === this.#followed) return;
    this.#followed = app;
    this.#stopLog?.();
    this.#stopLog = app === undefined ? undefined : followLog(this.#server, app, log);
  }

  #eventsSince(): number {
    const newest = this.#options.store.get().cloud.events.at(-1);
    return newest === undefined ? this.#options.now() - earlierEventsMs : newest.at + 1;
  }
}

function shownDetails({ details }: ConsoleState): string | undefined {
  return details && nameOf(details.facts.details);
}

/** @returns a function that stops it and clears the log */
function followLog(server: CloudServer, app: string, log: LogBuffer): () => void {
  // The last line of each replica: some lines repeat after a reconnect.
  const seen = new Map<string, LogDocument>();
  let stop = () => {};
  const timer = setTimeout(() => {
    stop = follow({
      open: (signal) => {
        const sinceMs = log.newest?.ts;
        const from = sinceMs === undefined ? { lines: earlierLines } : { sinceMs };
        return server.client.logs(app, { follow: true, signal, ...from });
      },
      onItem: (line) => {
        const source = `${line.revision}/${line.replica}`;
        const last = seen.get(source);
        if (last !== undefined && last.seq >= line.seq && last.ts >= line.ts) return;
        seen.set(source, line);
        log.push(line);
      },
    });
  }, settledMs);
  return () => {
    clearTimeout(timer);
    stop();
    log.clear();
  };
}

function sortedReplicas(replicas: readonly ReplicaDocument[]): ReplicaDocument[] {
  return replicas.toSorted(
    (a, b) =>
      Number(a.exit !== undefined) - Number(b.exit !== undefined) || b.startedAt - a.startedAt,
  );
}

function sortedKeys(keys: readonly KeyDocument[]): KeyDocument[] {
  return keys.toSorted(
    (a, b) =>
      Number(b.state === "active") - Number(a.state === "active") || b.createdAt - a.createdAt,
  );
}
