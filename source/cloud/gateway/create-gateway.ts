// The public side of deployctl: takes requests in, passes on those that may pass, and stops well.
import { systemClock } from "../../base/clock.ts";
import { Admission } from "./admission.ts";
import { TrustedProxies } from "./client-address.ts";
import { defaultGatewayLimits, type GatewayOptions } from "./gateway-options.ts";
import { Listener, type ListenerSurroundings } from "./listener.ts";
import type { BoundAddress, ListenerOptions } from "./listener-options.ts";
import { Reception, stopping } from "./reception.ts";
import { WaitingBytes } from "./request-body.ts";
import { RoutingTable } from "./routing-table.ts";
import { SpentBuffers } from "./spent-buffers.ts";
import type { Demand, GatewayControl, RoutedApp, TrafficReport } from "./traffic.ts";

/** Callers that read at all have the reason by then. */
const lastWordsMs = 250;

/** @throws ProductError `CLOUD_REQUEST_INVALID` for trusted proxies that are no addresses */
export function createGateway(options: GatewayOptions): Gateway {
  const { keys, log, clock = systemClock, isReady = () => true } = options;
  const limits = { ...defaultGatewayLimits, ...options.limits };
  const proxies = new TrustedProxies(options.trustedProxies ?? []);
  const table = new RoutingTable(clock, limits.connectTimeoutMs);
  const reception = new Reception({
    admission: new Admission(table, keys, { clock, log }),
    proxies,
    isReady,
    internalRoute: options.internalRoute,
    log,
    context: {
      limits,
      clock,
      waiting: new WaitingBytes(limits.waitingBytes),
      spent: new SpentBuffers(),
      observe: options.observe ?? (() => {}),
      onStopWish: options.onStopWish ?? (() => {}),
    },
  });
  const { headerBytes } = limits;
  const around = { reception, headerBytes, hasProxies: !proxies.isEmpty, log };
  return new Gateway(options.listeners, table, around);
}

export class Gateway implements GatewayControl {
  readonly #wanted: readonly ListenerOptions[];
  readonly #table: RoutingTable;
  readonly #around: ListenerSurroundings;
  #listeners: readonly Listener[] = [];

  constructor(
    wanted: readonly ListenerOptions[],
    table: RoutingTable,
    around: ListenerSurroundings,
  ) {
    this.#wanted = wanted;
    this.#table = table;
    this.#around = around;
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
      for (const wanted of this.#wanted) opened.push(await Listener.open(wanted, this.#around));
    } catch (error) {
      await Promise.all(opened.map((listener) => listener.close()));
      throw error;
    }
    this.#listeners = opened;
    return this.addresses;
  }

  /** Refuses new requests, lets the running ones end for so long, then tells them and cuts them. */
  async close({ drainMs }: { drainMs: number }): Promise<void> {
    const { reception } = this.#around;
    reception.isStopping = true;
    this.#table.refuseAllWaiting(stopping);
    await reception.whenIdle(drainMs);
    for (const live of [...reception.live]) live.refuse(stopping);
    await reception.whenIdle(lastWordsMs);
    for (const live of [...reception.live]) live.cut();
    const closing = this.#listeners.map((listener) => listener.close());
    for (const listener of this.#listeners) listener.cutConnections();
    await Promise.all(closing);
    this.#table.close();
  }

  /** Ends the running requests of a key at once. @returns how many there were */
  cutRequestsOf(keyId: string): number {
    const { live } = this.#around.reception;
    const ended = [...live].filter(({ arrival }) => arrival.key?.id === keyId);
    for (const exchange of ended) exchange.refuse(keyRevoked);
    return ended.length;
  }

  publish(apps: readonly RoutedApp[]): void {
    this.#table.publish(apps);
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
  detail: "The key was taken back while the request ran.",
} as const;
