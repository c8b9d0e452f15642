// Gateway that leads workers: it serves requests like them, and admits those of all.

import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { ListenerOptions } from "../gateway/gateway-options.ts";
import { requireFreePort } from "../gateway/listener.ts";
import type { BoundAddress, RoutedApp, TrafficReport } from "../gateway/traffic.ts";
import type { StoredKey } from "../keys/token-check.ts";
import type { LinkedGateway } from "./control-plane-link.ts";
import { RemoteGateway } from "./remote-gateway.ts";
import { WorkerClaims } from "./worker-claims.ts";

export interface LeadingGatewayOptions {
  /** Addresses of this gateway and its workers. */
  listeners: readonly ListenerOptions[];
  /** Socket on which the workers connect. */
  socketPath: string;
  keys: () => readonly StoredKey[];
  /** Returns the number of workers that run already, under an earlier leader. */
  runningWorkers: () => number;
  onFinished: (record: ExchangeRecord) => void;
  onStopRequested: (replica: string) => void;
}

/** Wait for running workers; one that has not connected by then hangs. */
const longestWaitMs = 5000;

export class LeadingGateway implements LinkedGateway {
  readonly #own: Gateway;
  readonly #options: LeadingGatewayOptions;
  #workers: RemoteGateway | undefined;
  #apps: readonly RoutedApp[] = [];

  constructor(own: Gateway, options: LeadingGatewayOptions) {
    this.#own = own;
    this.#options = options;
  }

  get addresses(): readonly BoundAddress[] {
    return this.#own.addresses;
  }

  /** Workers first, as they must know a replica before a request of theirs gets it. */
  publish(apps: readonly RoutedApp[]): void {
    this.#apps = apps;
    this.#workers?.publish(apps);
    this.#own.publish(apps);
  }

  publishKeys(): void {
    this.#workers?.publishKeys();
  }

  /**
   * Learns of the requests that running workers have before it takes any of its own.
   *
   * @throws ProductError `CLOUD_ADDRESS_UNUSABLE` and others of the addresses
   */
  async listen(): Promise<readonly BoundAddress[]> {
    const workers = await RemoteGateway.open({
      ...this.#options,
      ports: () => this.addresses.map(({ port }) => port),
      openClaims: (answer) => new WorkerClaims(this.#own, answer),
    });
    workers.publish(this.#apps);
    this.#workers = workers;
    const limit = AbortSignal.timeout(longestWaitMs);
    // A worker that is not back in time is served when it connects.
    await workers.connected(this.#options.runningWorkers(), limit).catch(() => {});
    try {
      // Workers of an earlier leader have the ports already.
      const isFirst = workers.addresses.length === 0;
      if (isFirst) await Promise.all(this.#options.listeners.map(requireFreePort));
      await this.#own.listen();
    } catch (error) {
      workers.disconnect();
      throw error;
    }
    workers.allowListening();
    return this.addresses;
  }

  async close(how: { drainMs: number }): Promise<void> {
    await Promise.all([this.#own.close(how), this.#workers?.close(how)]);
  }

  cutRequestsOf(keyId: string): void {
    this.#own.cutRequestsOf(keyId);
    this.#workers?.cutRequestsOf(keyId);
  }

  /** Includes the requests of the workers, which have their places here. */
  report(): TrafficReport {
    return this.#own.report();
  }

  onDemand(listener: (organisation: string, app: string) => void): () => void {
    return this.#own.onDemand(listener);
  }
}
