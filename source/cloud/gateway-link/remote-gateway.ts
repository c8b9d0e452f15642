// Gateway process as the control plane sees it: it listens on a socket, and the gateway connects.
import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { Changes } from "../changes.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type {
  BoundAddress,
  Demand,
  RoutedApp,
  Traffic,
  TrafficReport,
  Waiting,
} from "../gateway/traffic.ts";
import type { StoredKey } from "../keys/token-check.ts";
import { JsonLines, type ToControlPlane, type ToGateway } from "./messages.ts";

export interface RemoteGatewayOptions {
  socketPath: string;
  /** Returns all keys with their digests. */
  keys: () => readonly StoredKey[];
  onFinished: (record: ExchangeRecord) => void;
  /** Called when a replica asks to be replaced. */
  onStopRequested: (replica: string) => void;
  /** Returns the requests of an app that wait in the queue, which the gateway does not know. */
  waitingInQueue?: (organisation: string, app: string) => Waiting;
  /** Called when the routing table has changed. */
  onPublished?: () => void;
}

/** Connection of a gateway process, with its latest report. */
interface Peer {
  lines: JsonLines<ToControlPlane, ToGateway>;
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
const noneWaiting: Waiting = { queued: 0, oldestQueuedMs: 0 };
const noTraffic: TrafficReport = { demands: [], replicas: [] };

export class RemoteGateway implements Traffic {
  readonly #options: RemoteGatewayOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Last gateway that reported; its report stands until the next gateway's first one. */
  #peer: Peer | undefined;
  /** Last uses of replicas that an earlier gateway knew. */
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

  /** Resolves when a gateway can connect. The caller holds the state folder's lock. */
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

  /** Resolves when a gateway has connected and reported the requests that it carries. */
  async connected(): Promise<void> {
    await this.#changes.until(() => this.#peer !== undefined || undefined);
  }

  get addresses(): readonly BoundAddress[] {
    return this.#addresses;
  }

  async listen(): Promise<void> {
    this.allowListening();
    await this.#changes.until(() => this.#addresses.length > 0 || undefined);
  }

  /** Has the gateway open its addresses, now or when it connects. */
  allowListening(): void {
    this.#isListening = true;
    if (this.#peer !== undefined) this.#askToListen(this.#peer);
  }

  async close({ drainMs }: { drainMs: number }): Promise<void> {
    this.#peer?.lines.send({ kind: "close", drainMs });
    await this.#changes.until(() => this.#peer?.isClosed !== false || undefined);
    this.disconnect();
  }

  /** Ends the connection; the gateway goes on. */
  disconnect(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#peer = undefined;
    this.#changes.notify();
  }

  cutRequestsOf(keyId: string): void {
    this.#peer?.lines.send({ kind: "cut", keyId });
  }

  /** Sends all keys again, after a change. */
  publishKeys(): void {
    if (this.#peer !== undefined) this.#sendKeys(this.#peer);
  }

  publish(apps: readonly RoutedApp[]): void {
    const text = JSON.stringify(apps);
    if (text === this.#published && this.#version > 0) return;
    this.#published = text;
    this.#apps = apps;
    // Never a version of an earlier control plane, which a gateway may still report.
    this.#version = Math.max(this.#version + 1, Date.now());
    const replicas = new Set(apps.flatMap((app) => app.replicas.map(({ replica }) => replica)));
    for (const replica of this.#earlierUses.keys()) {
      if (!replicas.has(replica)) this.#earlierUses.delete(replica);
    }
    if (this.#peer !== undefined) this.#sendRoutes(this.#peer);
    this.#options.onPublished?.();
  }

  demand(organisation: string, app: string): Demand {
    const { report, reportedAt } = this.#peer ?? { report: noTraffic, reportedAt: 0 };
    const own = report.demands.find((it) => it.organisation === organisation && it.app === app);
    const waiting = this.#options.waitingInQueue?.(organisation, app) ?? noneWaiting;
    if (own === undefined) return { busy: 0, ...waiting };
    const sinceMs = performance.now() - reportedAt;
    const { busy, ofCandidate, ofActive } = own;
    return {
      busy,
      ...together(aged(own, sinceMs), waiting),
      ofCandidate: ofCandidate && aged(ofCandidate, sinceMs),
      ofActive: ofActive && together(aged(ofActive, sinceMs), waiting),
    };
  }

  /** Number of requests that the open replicas of an active app take at a time. */
  openSlots(organisation: string, app: string): number {
    const routed = this.#apps.find((it) => it.organisation === organisation && it.app === app);
    if (routed?.state !== "active") return 0;
    return routed.replicas.filter(({ isOpen }) => isOpen).length * routed.scale.maxMultiplexing;
  }

  /** Calls the listeners for demand that the gateway does not report. */
  noteDemand(organisation: string, app: string): void {
    for (const listener of this.#demandListeners) listener(organisation, app);
  }

  inFlight(replica: string): number {
    return this.#of(replica)?.inFlight ?? 0;
  }

  lastUsedAt(replica: string): number | undefined {
    return this.#of(replica)?.lastUsedAt ?? this.#earlierUses.get(replica);
  }

  get reportingSince(): number | undefined {
    return this.#peer?.reportingSince;
  }

  onDemand(listener: (organisation: string, app: string) => void): () => void {
    this.#demandListeners.add(listener);
    return () => this.#demandListeners.delete(listener);
  }

  /** A report counts only when the gateway knew the present table, in which the replica is closed. */
  async drained(replica: string, signal: AbortSignal): Promise<void> {
    const isCurrent = () => this.#peer === undefined || this.#peer.version === this.#version;
    await this.#changes.until(
      () => (isCurrent() && this.inFlight(replica) === 0) || undefined,
      signal,
    );
  }

  #of(replica: string): TrafficReport["replicas"][number] | undefined {
    return this.#peer?.report.replicas.find((each) => each.replica === replica);
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const lines: Peer["lines"] = new JsonLines(socket, (message) => this.#receive(peer, message));
    const peer: Peer = {
      lines,
      ...{ addresses: [], version: 0, report: noTraffic, reportedAt: 0, isClosed: false },
      reportingSince: undefined,
    };
    socket.once("close", () => {
      this.#sockets.delete(socket);
      Object.assign(peer, { isClosed: true, version: gone, reportingSince: undefined });
      this.#rememberUses(peer.report);
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
    }
    this.#changes.notify();
  }

  #report(peer: Peer, { version, report }: { version: number; report: TrafficReport }): void {
    const demands = [...(this.#peer?.report.demands ?? []), ...report.demands];
    Object.assign(peer, { version, report, reportedAt: performance.now() });
    // A gateway that does not listen yet has no figures of its own.
    if (version > 0) peer.reportingSince ??= Date.now();
    this.#peer = peer;
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
    const ports = this.#addresses.map(({ port }) => port);
    if (addresses.length === 0) lines.send({ kind: "listen", ports });
  }
}

/** Adds the time since the report to the age of the oldest request. */
function together(one: Waiting, other: Waiting): Waiting {
  return {
    queued: one.queued + other.queued,
    oldestQueuedMs: Math.max(one.oldestQueuedMs, other.oldestQueuedMs),
  };
}

function aged({ queued, oldestQueuedMs }: Waiting, sinceMs: number): Waiting {
  return { queued, oldestQueuedMs: oldestQueuedMs + (queued > 0 ? sinceMs : 0) };
}
