// Gateway processes as the control plane sees them: it listens on a socket, and they connect.
import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { Changes } from "../changes.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type {
  BoundAddress,
  Demand,
  GatewayControl,
  RoutedApp,
  TrafficReport,
} from "../gateway/traffic.ts";
import type { StoredKey } from "../keys/token-check.ts";
import {
  type AdmissionAnswer,
  type AdmissionQuestion,
  JsonLines,
  type ToControlPlane,
  type ToGateway,
} from "./messages.ts";

export interface RemoteGatewayOptions {
  socketPath: string;
  /** Returns all keys with their digests. */
  keys: () => readonly StoredKey[];
  onFinished: (record: ExchangeRecord) => void;
  /** Called when a replica asks to be replaced. */
  onStopRequested: (replica: string) => void;
  /** Ports for listeners on port 0. Defaults to those of an earlier gateway. */
  ports?: () => readonly number[];
  /** Creates what answers the questions of one gateway; undefined: each admits its requests itself. */
  openClaims?: (answer: (answer: AdmissionAnswer) => void) => Claims;
}

/** Places that a gateway's requests have or wait for. */
export interface Claims {
  receive(question: AdmissionQuestion): void;
  /** Frees them when the gateway has gone. */
  close(): void;
}

/** Connection of a gateway process, with its latest report. */
interface Peer {
  lines: JsonLines<ToControlPlane, ToGateway>;
  claims: Claims | undefined;
  addresses: readonly BoundAddress[];
  /** Version of the routing table that the report belongs to. */
  version: number;
  report: TrafficReport;
  /** Monotonic. */
  reportedAt: number;
  /** First report of a gateway that listens; milliseconds since 1970. */
  reportingSince: number | undefined;
  /** True once it has stopped, or its connection has ended. */
  isClosed: boolean;
}

/** Version of the table of a gateway whose connection has ended. */
const gone = -1;
const noTraffic: TrafficReport = { demands: [], replicas: [] };

export class RemoteGateway implements GatewayControl {
  readonly #options: RemoteGatewayOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #peers = new Set<Peer>();
  /** Last uses of replicas that gateways knew whose connections have ended. */
  readonly #earlierUses = new Map<string, number>();
  readonly #demandListeners = new Set<(organisation: string, app: string) => void>();
  /** Messages, and ends of connections. */
  readonly #changes = new Changes();
  #apps: readonly RoutedApp[] = [];
  #published = "";
  #version = 0;
  #isListening = false;
  #addresses: readonly BoundAddress[] = [];

  private constructor(options: RemoteGatewayOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Resolves when gateways can connect. The caller holds the state folder's lock. */
  static async open(options: RemoteGatewayOptions): Promise<RemoteGateway> {
    const gateway = new RemoteGateway(options);
    const { socketPath } = options;
    rmSync(socketPath, { force: true });
    const umask = process.umask(0o177);
    try {
      await new Promise<void>((resolve, reject) => {
        gateway.#server.once("error", reject);
        gateway.#server.listen(socketPath, resolve);
      });
    } finally {
      process.umask(umask);
    }
    return gateway;
  }

  /** Resolves when so many gateways have connected and reported the requests that they carry. */
  async connected(count: number, signal?: AbortSignal): Promise<void> {
    await this.#changes.until(() => this.#peers.size >= count || undefined, signal);
  }

  get addresses(): readonly BoundAddress[] {
    return this.#addresses;
  }

  async listen(): Promise<void> {
    this.allowListening();
    await this.#changes.until(() => this.#addresses.length > 0 || undefined);
  }

  /** Has gateways open their addresses, now or when they connect. */
  allowListening(): void {
    this.#isListening = true;
    for (const peer of this.#peers) this.#askToListen(peer);
  }

  async close({ drainMs }: { drainMs: number }): Promise<void> {
    for (const { lines } of this.#peers) lines.send({ kind: "close", drainMs });
    await this.#changes.until(
      () => [...this.#peers].every(({ isClosed }) => isClosed) || undefined,
    );
    this.disconnect();
  }

  /** Ends the connections; the gateways go on. */
  disconnect(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#peers.clear();
    this.#changes.notify();
  }

  cutRequestsOf(keyId: string): void {
    for (const { lines } of this.#peers) lines.send({ kind: "cut", keyId });
  }

  /** Sends all keys again, after a change. */
  publishKeys(): void {
    for (const peer of this.#peers) this.#sendKeys(peer);
  }

  publish(apps: readonly RoutedApp[]): void {
    const text = JSON.stringify(apps);
    if (text === this.#published && this.#version > 0) return;
    this.#published = text;
    this.#apps = apps;
    // Never a version of an earlier control plane, which gateways may still report.
    this.#version = Math.max(this.#version + 1, Date.now());
    const replicas = new Set(apps.flatMap((app) => app.replicas.map(({ replica }) => replica)));
    for (const replica of this.#earlierUses.keys()) {
      if (!replicas.has(replica)) this.#earlierUses.delete(replica);
    }
    for (const peer of this.#peers) this.#sendRoutes(peer);
  }

  demand(organisation: string, app: string): Demand {
    const now = performance.now();
    const sum: Demand = { busy: 0, queued: 0, oldestQueuedMs: 0 };
    for (const { report, reportedAt } of this.#peers) {
      const own = report.demands.find((it) => it.organisation === organisation && it.app === app);
      if (own === undefined) continue;
      sum.busy += own.busy;
      sum.queued += own.queued;
      const waitedMs = own.queued > 0 ? own.oldestQueuedMs + now - reportedAt : 0;
      sum.oldestQueuedMs = Math.max(sum.oldestQueuedMs, waitedMs);
    }
    return sum;
  }

  inFlight(replica: string): number {
    return this.#of(replica).reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  lastUsedAt(replica: string): number | undefined {
    const times = this.#of(replica).map(({ lastUsedAt }) => lastUsedAt);
    const known = [...times, this.#earlierUses.get(replica)].filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  get reportingSince(): number | undefined {
    const starts = [...this.#peers].map(
      ({ reportingSince = Number.POSITIVE_INFINITY }) => reportingSince,
    );
    const latest = Math.max(...starts);
    return Number.isFinite(latest) ? latest : undefined;
  }

  onDemand(listener: (organisation: string, app: string) => void): () => void {
    this.#demandListeners.add(listener);
    return () => this.#demandListeners.delete(listener);
  }

  /** A report counts only when its gateway knew the present table, in which the replica is closed. */
  async drained(replica: string, signal: AbortSignal): Promise<void> {
    const isCurrent = () => [...this.#peers].every(({ version }) => version === this.#version);
    await this.#changes.until(
      () => (isCurrent() && this.inFlight(replica) === 0) || undefined,
      signal,
    );
  }

  #of(replica: string): TrafficReport["replicas"][number][] {
    return [...this.#peers].flatMap(
      ({ report }) => report.replicas.find((each) => each.replica === replica) ?? [],
    );
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const lines: Peer["lines"] = new JsonLines(socket, (message) => this.#receive(peer, message));
    const peer: Peer = {
      lines,
      claims: this.#options.openClaims?.((answer) => lines.send({ kind: "answer", answer })),
      ...{ addresses: [], version: 0, report: noTraffic, reportedAt: 0, isClosed: false },
      reportingSince: undefined,
    };
    socket.once("close", () => {
      this.#sockets.delete(socket);
      // Workers go on without their leader, so its last report stands until the next one is there.
      Object.assign(peer, { isClosed: true, version: gone, reportingSince: undefined });
      this.#rememberUses(peer.report);
      peer.claims?.close();
      this.#changes.notify();
    });
  }

  #receive(peer: Peer, message: ToControlPlane): void {
    switch (message.kind) {
      case "hello":
        this.#noteAddresses(peer, message.addresses);
        this.#sendKeys(peer);
        if (this.#version > 0) this.#sendRoutes(peer);
        if (this.#isListening) this.#askToListen(peer);
        return;
      case "listening":
        this.#noteAddresses(peer, message.addresses);
        break;
      case "traffic":
        this.#report(peer, message);
        break;
      case "finished":
        for (const record of message.records) this.#options.onFinished(record);
        return;
      case "stop-replica":
        this.#options.onStopRequested(message.replica);
        return;
      case "closed":
        peer.isClosed = true;
        break;
      case "ask":
        peer.claims?.receive(message.question);
        return;
    }
    this.#changes.notify();
  }

  #report(peer: Peer, { version, report }: { version: number; report: TrafficReport }): void {
    const earlier = [...this.#peers].filter((it) => it === peer || it.version === gone);
    const demands = [...earlier, { report }].flatMap((it) => it.report.demands);
    for (const one of earlier) this.#peers.delete(one);
    Object.assign(peer, { version, report, reportedAt: performance.now() });
    // A gateway that does not listen yet has no figures of its own.
    if (version > 0) peer.reportingSince ??= Date.now();
    this.#peers.add(peer);
    // All apps that have or had requests.
    const apps = new Map(demands.map((it) => [`${it.organisation}/${it.app}`, it]));
    for (const { organisation, app } of apps.values()) {
      for (const listener of this.#demandListeners) listener(organisation, app);
    }
  }

  #rememberUses({ replicas }: TrafficReport): void {
    const now = Date.now();
    for (const { replica, inFlight, lastUsedAt } of replicas) {
      const usedAt = inFlight > 0 ? now : lastUsedAt;
      if (usedAt !== undefined) this.#earlierUses.set(replica, usedAt);
    }
  }

  #noteAddresses(peer: Peer, addresses: readonly BoundAddress[]): void {
    peer.addresses = addresses;
    if (addresses.length > 0) this.#addresses = addresses;
  }

  #sendKeys({ lines }: Peer): void {
    const keys = this.#options.keys();
    const shared = keys.map(({ key, digest }) => ({ key, digest: digest.toString("base64") }));
    lines.send({ kind: "keys", keys: shared });
  }

  #sendRoutes({ lines }: Peer): void {
    lines.send({ kind: "routes", version: this.#version, apps: this.#apps });
  }

  #askToListen({ lines, addresses }: Peer): void {
    const ports = this.#options.ports?.() ?? this.#addresses.map(({ port }) => port);
    if (addresses.length === 0) lines.send({ kind: "listen", ports });
  }
}
