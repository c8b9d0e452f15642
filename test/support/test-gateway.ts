// A gateway on a free port of loopback, with a real replica behind it that a test writes.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ExchangeRecord } from "../../source/cloud/gateway/exchange-record.ts";
import { Gateway } from "../../source/cloud/gateway/gateway.ts";
import type { GatewayOptions } from "../../source/cloud/gateway/gateway-options.ts";
import type { RoutedApp, RoutedReplica } from "../../source/cloud/gateway/traffic.ts";
import { keysBy, routedApp } from "./cloud-documents.ts";
import { until } from "./until.ts";

/** An HTTP server in this process that acts as a replica. */
export class TestReplica {
  readonly name: string;
  readonly server: Server;
  readonly endpoint: string;

  private constructor(name: string, server: Server) {
    this.name = name;
    this.server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(name: string, onRequest: RequestListener): Promise<TestReplica> {
    const server = createServer(onRequest);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TestReplica(name, server);
  }

  /** As the control plane publishes it; ready for long. */
  routed(changes: Partial<RoutedReplica> = {}): RoutedReplica {
    return {
      replica: this.name,
      revision: "r0001-00000000",
      endpoint: this.endpoint,
      isOpen: true,
      readyAt: 0,
      ...changes,
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }
}

export class TestGateway {
  readonly gateway: Gateway;
  readonly records: ExchangeRecord[] = [];
  readonly log: string[] = [];
  url = "";
  readonly #replicas: TestReplica[] = [];

  private constructor(options: Partial<GatewayOptions>) {
    this.gateway = new Gateway({
      listeners: [{ host: "127.0.0.1", port: 0, encryption: { kind: "none" } }],
      keys: keysBy({}),
      observe: (record) => this.records.push(record),
      log: (text) => this.log.push(text),
      ...options,
    });
  }

  static async start(options: Partial<GatewayOptions> = {}): Promise<TestGateway> {
    const test = new TestGateway(options);
    const [address] = await test.gateway.listen();
    test.url = address?.url ?? "";
    return test;
  }

  async addReplica(onRequest: RequestListener, name = "replica-1"): Promise<TestReplica> {
    const replica = await TestReplica.start(name, onRequest);
    this.#replicas.push(replica);
    return replica;
  }

  /** The only replica. */
  get replica(): TestReplica {
    const [replica] = this.#replicas;
    if (replica === undefined) throw new Error("there is no replica");
    return replica;
  }

  /** One app with one replica. @returns the URL of the app */
  async serve(onRequest: RequestListener, changes: Partial<RoutedApp> = {}): Promise<string> {
    const replica = await this.addReplica(onRequest);
    this.gateway.table.publish([routedApp({ replicas: [replica.routed()], ...changes })]);
    return `${this.url}/acme/chat`;
  }

  /** The record of the only request, once it is over. */
  async record(): Promise<ExchangeRecord> {
    const [record] = await until(
      () => this.records,
      (records) => records.length > 0,
    );
    if (record === undefined) throw new Error("there is no record");
    return record;
  }

  async close(): Promise<void> {
    await this.gateway.close({ drainMs: 0 });
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }
}
