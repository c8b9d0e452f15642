// Gateway of deployctl: accepts requests, proxies those that are allowed, and shuts down gracefully.
import { systemClock } from "../../base/clock.ts";
import { Admission } from "./admission.ts";
import { BufferCollection } from "./buffer-collection.ts";
import { CallLimits } from "./call-limits.ts";
import { TrustedProxies } from "./client-address.ts";
import { beginTrace, endTrace } from "./exchange-traces.ts";
import {
  defaultGatewayLimits,
  type GatewayOptions,
  type ListenerOptions,
} from "./gateway-options.ts";
import { HeldRuns } from "./held-runs.ts";
import { Listener, type ListenerContext } from "./listener.ts";
import { QueueRoute } from "./queue-route.ts";
import { WaitingBytes } from "./request-body.ts";
import { RequestHandler, stopping } from "./request-handler.ts";
import { RoutingTable } from "./routing-table.ts";
import type { BoundAddress } from "./traffic.ts";

/** Time for callers to receive the refusal before their connections are cut. */
const refusalGraceMs = 250;

export class Gateway {
  readonly table: RoutingTable;
  readonly #wanted: readonly ListenerOptions[];
  readonly #context: ListenerContext;
  #listeners: readonly Listener[] = [];
  readonly #runs: HeldRuns | undefined;
  readonly #runsSocket: string = "";

  constructor(options: GatewayOptions) {
    const { keys, log, clock = systemClock } = options;
    const { trustedProxies: proxies = new TrustedProxies() } = options;
    const limits = { ...defaultGatewayLimits, ...options.limits };
    this.table = new RoutingTable(clock, limits.connectTimeoutMs);
    const admission = new Admission(this.table, keys, new CallLimits(clock, log));
    const waiting = new WaitingBytes(limits.waitingBytes);
    const { queue } = options;
    const handler = new RequestHandler({
      ...{ admission, proxies, log },
      internalRoute: options.internalRoute,
      queueRoute:
        queue &&
        new QueueRoute({
          ...{ admission, limits, waiting },
          socketPath: queue.controlPlaneSocket,
          queueLimits: queue.limits,
        }),
      context: {
        limits,
        clock,
        waiting,
        buffers: new BufferCollection(),
        tracing: options.tracing,
        observe: (record, facts) => {
          options.observe?.(record);
          if (options.tracing === undefined) return;
          endTrace(facts.trace ?? beginTrace(options.tracing, facts, record.startedAt), record);
        },
        onStopRequested: options.onStopRequested ?? (() => {}),
      },
    });
    const { headerBytes } = limits;
    if (queue !== undefined) {
      this.#runsSocket = queue.runsSocket;
      this.#runs = new HeldRuns((...run) => handler.onRun(...run), log);
    }
    this.#wanted = options.listeners;
    this.#context = { handler, headerBytes, hasProxies: !proxies.isEmpty, log };
  }

  get addresses(): readonly BoundAddress[] {
    return this.#listeners.map(({ address }) => address);
  }

  /**
   * Opens all addresses, or none.
   *
   * @throws ProductError `CLOUD_PLAIN_HTTP_REFUSED`, `TLS_CERTIFICATE_UNUSABLE`,
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
    await this.#runs?.listen(this.#runsSocket);
    this.#listeners = opened;
    return this.addresses;
  }

  /** Refuses new requests, waits `drainMs` for running ones, then refuses and cuts the rest. */
  async close({ drainMs }: { drainMs: number }): Promise<void> {
    const { handler } = this.#context;
    handler.isStopping = true;
    this.table.refuseAllWaiting(stopping);
    await handler.whenIdle(drainMs);
    for (const live of [...handler.active]) live.refuse(stopping);
    await handler.whenIdle(refusalGraceMs);
    for (const live of [...handler.active]) live.cut();
    const closing = this.#listeners.map((listener) => listener.close());
    for (const listener of this.#listeners) listener.cutConnections();
    await Promise.all([...closing, this.#runs?.close()]);
    this.table.closeConnections();
  }

  /** Ends the running requests of a key at once. @returns their number */
  cutRequestsOf(keyId: string): number {
    const { active } = this.#context.handler;
    const ended = [...active].filter(({ admitted }) => admitted.key?.id === keyId);
    for (const exchange of ended) exchange.refuse(keyRevoked);
    return ended.length;
  }
}

const keyRevoked = {
  type: "key_revoked",
  detail: "The key was revoked while the request ran.",
} as const;
