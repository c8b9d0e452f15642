// Gateway's end of the connection to the control plane, which it renews for as long as it runs.
import { connect } from "node:net";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { JsonLines, type SharedKey, type ToControlPlane, type ToGateway } from "./messages.ts";

export interface ControlPlaneLinkOptions {
  socketPath: string;
  /** Creates the gateway; called once. @param ports of an earlier gateway, in the order of its addresses */
  openGateway: (ports: readonly number[]) => Gateway;
  onKeys: (keys: readonly SharedKey[]) => void;
  onListening: () => void;
  /** Called when the addresses cannot be opened. */
  onFailure: (error: unknown) => void;
  /** Called when a stop that the control plane asked for is over, and the control plane knows. */
  onClosed: () => void;
  log: (text: string) => void;
}

const reconnectMs = 50;
/** Minimum interval between two reports: thousands of requests may arrive per second. */
const reportSpacingMs = 20;
/** Interval of reports without a trigger, as some demand ends with time alone. */
const reportIntervalMs = 1000;
/** Records kept while the control plane is away. */
const maxRecords = 10_000;
/** Records wait while the control plane has this much to read. */
const maxWaitingBytes = 2 ** 20;

type Lines = JsonLines<ToGateway, ToControlPlane>;

export class ControlPlaneLink {
  readonly #options: ControlPlaneLinkOptions;
  #gateway: Gateway | undefined;
  #isListening = false;
  #lines: Lines | undefined;
  #version = 0;
  /** Apps of a table that arrived before the gateway listens. */
  #apps: Extract<ToGateway, { kind: "routes" }>["apps"] = [];
  #records: ExchangeRecord[] = [];
  #lostRecords = 0;
  #sent = "";
  #reportedAt = 0;
  #interval: NodeJS.Timeout | undefined;
  #reportTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ControlPlaneLinkOptions) {
    this.#options = options;
  }

  /** Connects, and again whenever the connection breaks. */
  start(): void {
    this.#interval = setInterval(() => this.#send(), reportIntervalMs);
    this.#connect();
  }

  stop(): void {
    this.#isClosed = true;
    clearInterval(this.#interval);
    this.#lines?.end();
  }

  /** Passes on a request that is over. */
  observe(record: ExchangeRecord): void {
    if (this.#records.length >= maxRecords) {
      this.#records.shift();
      this.#lostRecords += 1;
    }
    this.#records.push(record);
    this.#report();
  }

  /** Passes on that a replica asks to be replaced; lost while the control plane is away. */
  stopReplica(replica: string): void {
    this.#lines?.send({ kind: "stop-replica", replica });
  }

  #connect(): void {
    const socket = connect(this.#options.socketPath);
    socket.once("connect", () => {
      const lines: Lines = new JsonLines(socket, (message) => void this.#receive(message));
      this.#lines = lines;
      this.#sent = "";
      lines.send({ kind: "hello", addresses: this.#gateway?.addresses ?? [] });
      if (this.#lostRecords > 0) {
        this.#options.log(`usage of ${this.#lostRecords} requests is lost: no control plane ran`);
        this.#lostRecords = 0;
      }
      this.#send();
    });
    // An error is followed by "close".
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#lines = undefined;
      if (this.#isClosed) this.#options.onClosed();
      else setTimeout(() => this.#connect(), reconnectMs);
    });
  }

  async #receive(message: ToGateway): Promise<void> {
    switch (message.kind) {
      case "routes":
        this.#apps = message.apps;
        this.#version = message.version;
        this.#gateway?.table.publish(message.apps);
        return this.#report();
      case "keys":
        return this.#options.onKeys(message.keys);
      case "listen":
        return await this.#listen(message.ports);
      case "cut":
        this.#gateway?.cutRequestsOf(message.keyId);
        return;
      case "close":
        await this.#gateway?.close(message);
        this.#isClosed = true;
        this.#send();
        this.#lines?.send({ kind: "closed" });
        if (this.#lines === undefined) this.#options.onClosed();
    }
  }

  async #listen(ports: readonly number[]): Promise<void> {
    if (this.#gateway !== undefined) return;
    const gateway = this.#options.openGateway(ports);
    this.#gateway = gateway;
    gateway.table.publish(this.#apps);
    gateway.table.onDemand(() => this.#report());
    try {
      const addresses = await gateway.listen();
      this.#isListening = true;
      this.#lines?.send({ kind: "listening", addresses });
      this.#report();
      this.#options.onListening();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** Sends a report at once, or soon after the one before. */
  #report(): void {
    if (this.#reportTimer !== undefined) return;
    const waitMs = this.#reportedAt + reportSpacingMs - performance.now();
    this.#reportTimer = setTimeout(() => this.#send(), Math.max(0, waitMs));
  }

  #send(): void {
    clearTimeout(this.#reportTimer);
    this.#reportTimer = undefined;
    this.#reportedAt = performance.now();
    const lines = this.#lines;
    if (lines === undefined) return;
    const report = this.#gateway?.table.report() ?? { demands: [], replicas: [] };
    // Figures count from when it listens.
    const version = this.#isListening ? this.#version : 0;
    const text = JSON.stringify([version, report]);
    if (text !== this.#sent) lines.send({ kind: "traffic", version, report });
    this.#sent = text;
    if (this.#records.length === 0 || lines.waitingBytes > maxWaitingBytes) return;
    lines.send({ kind: "finished", records: this.#records });
    this.#records = [];
  }
}
