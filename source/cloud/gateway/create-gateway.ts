// Gateway of deployctl: accepts requests, proxies those that are allowed, and shuts down gracefully.
import { systemClock } from "../../base/clock.ts";
import { Admission } from "./admission.ts";
import type { AppTraffic } from "./app-traffic.ts";
import { BufferCollection } from "./buffer-collection.ts";
import { type CallLimits, OwnCallLimits } from "./call-limits.ts";
import { TrustedProxies } from "./client-address.ts";
import { defaultGatewayLimits, type GatewayOptions } from "./gateway-options.ts";
import { Listener, type ListenerContext } from "./listener.ts";
import type { BoundAddress, ListenerOptions } from "./listener-options.ts";
import { WaitingBytes } from "./request-body.ts";
import { RequestHandler, stopping } from "./request-handler.ts";
import { RoutingTable } from "./routing-table.ts";
import type { Demand, GatewayControl, RoutedApp, TrafficReport } from "./traffic.ts";

/** Time for callers to receive the refusal before their connections are cut. */
const refusalGraceMs = 250;

/** @throws ProductError `CLOUD_REQUEST_INVALID` if a trusted proxy is not an address */
export function createGateway(options: GatewayOptions): Gateway {
  const { keys, log, clock = systemClock, isReady = () => true } = options;
  const limits = { ...defaultGatewayLimits, ...options.limits };
  const proxies = new TrustedProxies(options.trustedProxies ?? []);
  const table = new RoutingTable(clock, limits.connectTimeoutMs, options.leader);
  const callLimits = options.leader ?? new OwnCallLimits(clock, log);
  const handler = new RequestHandler({
    admission: new Admission(table, keys, callLimits),
    proxies,
    isReady,
    internalRoute: options.internalRoute,
    log,
    context: {
      limits,
      clock,
      waiting: new WaitingBytes(limits.waitingBytes),
      buffers: new BufferCollection(),
      observe: options.observe ?? (() => {}),
      onStopRequested: options.onStopRequested ?? (() => {}),
    },
  });
  const { headerBytes } = limits;
  const { listeners, sharesPorts = false } = options;
  const context = { handler, headerBytes, hasProxies: !proxies.isEmpty, sharesPorts, log };
  return new Gateway(listeners, { table, callLimits, context });
}

interface GatewayParts {
  table: RoutingTable;
  callLimits: CallLimits;
  context: ListenerContext;
}

export class Gateway implements GatewayControl {
  readonly #wanted: readonly ListenerOptions[];
  readonly #table: RoutingTable;
  readonly #context: ListenerContext;
  readonly callLimits: CallLimits;
  #listeners: readonly Listener[] = [];

  constructor(wanted: readonly ListenerOptions[], { table, callLimits, context }: GatewayParts) {
    this.#wanted = wanted;
    this.#table = table;
    this.#context = context;
    this.callLimits = callLimits;
  }

  get addresses(): readonly BoundAddress[] {
    return this.#listeners.flatMap(({ address }) => address ?? []);
  }

  /**
   * Opens all addresses, or none.
   *
   * @throws ProductError `CLOUD_PLAIN_HTTP_REFUSED`, `CLOUD_CERTIFICATE_UNUSABLE`,
   *   `CLOUD_ADDRESS_UNUSABLE`
   */
  async listen(): Promise<readonly BoundAddress[]> {
    const opened: Listener[] = [];
    try {
      for (const wanted of this.#wanted) opened.push(await Listener.open(wanted, this.#context));
    } catch (error) {
      await Promise.all(opened.map((listener) => listener.close()));
      throw error;
    }
    this.#listeners = opened;
    return this.addresses;
  }

  /** Refuses new requests, waits `drainMs` for running ones, then refuses and cuts the rest. */
  async close({ drainMs }: { drainMs: number }): Promise<void> {
    const { handler } = this.#context;
    handler.isStopping = true;
    this.#table.refuseAllWaiting(stopping);
    await handler.whenIdle(drainMs);
    for (const live of [...handler.active]) live.refuse(stopping);
    await handler.whenIdle(refusalGraceMs);
    for (const live of [...handler.active]) live.cut();
    const closing = this.#listeners.map((listener) => listener.close());
    for (const listener of this.#listeners) listener.cutConnections();
    await Promise.all(closing);
    this.#table.close();
  }

  /** Ends the running requests of a key at once. @returns their number */
  cutRequestsOf(keyId: string): number {
    const { active } = this.#context.handler;
    const ended = [...active].filter(({ admitted }) => admitted.key?.id === keyId);
    for (const exchange of ended) exchange.refuse(keyRevoked);
    return ended.length;
  }

  publish(apps: readonly RoutedApp[]): void {
    this.#table.publish(apps);
  }

  /** Returns the queue and the replicas of an app. */
  traffic(organisation: string, app: string): AppTraffic | undefined {
    return this.#table.find(organisation, app);
  }

  demand(organisation: string, app: string): Demand {
    return this.#table.demand(organisation, app);
  }

  report(): TrafficReport {
    return this.#table.report();
  }

  inFlight(replica: string): number {
    return this.#table.inFlight(replica);
  }

  lastUsedAt(replica: string): number | undefined {
    return this.#table.lastUsedAt(replica);
  }

  onDemand(listener: (organisation: string, app: string) => void): () => void {
    return this.#table.onDemand(listener);
  }

  async drained(replica: string, signal: AbortSignal): Promise<void> {
    await this.#table.drained(replica, signal);
  }
}

const keyRevoked = {
  type: "key_revoked",
  detail: "The key was revoked while the request ran.",
} as const;
