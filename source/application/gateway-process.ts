// Gateway processes, which serve from their last routing tables while no control plane runs.
import { systemClock } from "../base/clock.ts";
import { AdminClient } from "../cloud/admin/admin-client.ts";
import { Gateway } from "../cloud/gateway/gateway.ts";
import { defaultGatewayLimits } from "../cloud/gateway/gateway-options.ts";
import { ControlPlaneLink } from "../cloud/gateway-link/control-plane-link.ts";
import { LeadingGateway } from "../cloud/gateway-link/leading-gateway.ts";
import type { SharedKey } from "../cloud/gateway-link/messages.ts";
import { RemoteLeader } from "../cloud/gateway-link/remote-leader.ts";
import type { CloudKey, KeyVerifier } from "../cloud/keys/cloud-key.ts";
import { loadPepper, pepperFile } from "../cloud/keys/pepper.ts";
import { type StoredKey, TokenCheck } from "../cloud/keys/token-check.ts";
import { type GatewayRole, lockedGateways, readLock, takeLock } from "../cloud/state/lock-file.ts";
import { isAlive } from "../cloud/state/process-identity.ts";
import { openTracing, type Tracing } from "../tracing/tracing.ts";
import type { CloudHostOptions } from "./cloud-host.ts";
import { adminSocket, gatewaySocket, workerSocket } from "./control-plane-process.ts";
import { metricsRoute } from "./metrics-route.ts";

export interface GatewayProcessOptions
  extends Pick<
    CloudHostOptions,
    "stateFolder" | "organisation" | "listeners" | "trustedProxies" | "log"
  > {
  /** The first gateway admits the requests of all; the others are its workers. */
  role: GatewayRole;
  /** Number of gateway processes. */
  gateways: number;
  onListening: () => void;
}

/**
 * Resolves when the control plane has stopped the gateway. A gateway that ends otherwise leaves its lock
 * file, and the supervisor restarts it.
 *
 * @throws ProductError `CLOUD_ALREADY_RUNNING`, `CLOUD_ADDRESS_UNUSABLE` and others of the addresses
 */
export async function runGateway(options: GatewayProcessOptions): Promise<void> {
  const { stateFolder, role, gateways, log, onListening } = options;
  const isFirst = role === "gateway";
  const tracing = await openTracing("deployctl", log);
  const release = takeLock(stateFolder, role);
  const keys = new SharedKeys(stateFolder);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leader = isFirst ? undefined : new RemoteLeader((question) => link.ask(question));
  let leading: LeadingGateway | undefined;
  const link = new ControlPlaneLink({
    socketPath: isFirst ? gatewaySocket(stateFolder) : workerSocket(stateFolder),
    openGateway: (ports) => {
      const own = openGateway(options, { keys, link, leader, ports, tracing });
      if (!isFirst || gateways === 1) return own;
      leading = new LeadingGateway(own, {
        listeners: options.listeners,
        socketPath: workerSocket(stateFolder),
        keys: () => keys.stored(),
        runningWorkers: () => runningWorkers(stateFolder),
        onFinished: (record) => link.observe(record),
        onStopRequested: (replica) => link.stopReplica(replica),
      });
      return leading;
    },
    onKeys: (shared) => {
      keys.replace(shared);
      leading?.publishKeys();
    },
    onConnected: () => leader?.repeat(),
    onAnswer: (answer) => leader?.receive(answer),
    onListening,
    onFailure: reject,
    onClosed: () => {
      release();
      resolve();
    },
    log,
  });
  link.start();
  try {
    await promise;
  } finally {
    link.stop();
    await tracing?.close();
  }
}

interface GatewayParts {
  keys: SharedKeys;
  link: ControlPlaneLink;
  leader: RemoteLeader | undefined;
  ports: readonly number[];
  tracing: Tracing | undefined;
}

function openGateway(options: GatewayProcessOptions, parts: GatewayParts): Gateway {
  const { stateFolder, organisation, listeners, gateways, trustedProxies, log } = options;
  const { keys, link, leader, ports, tracing } = parts;
  const readMetrics = async () =>
    await new AdminClient({ socketPath: adminSocket(stateFolder) }).metrics();
  return new Gateway({
    // A restarted gateway on any free port keeps its port.
    listeners: listeners.map((it, index) => ({ ...it, port: it.port || (ports[index] ?? 0) })),
    ...{ keys, trustedProxies, leader, tracing, log },
    sharesPorts: gateways > 1,
    // Bodies wait in each process.
    limits: { waitingBytes: Math.floor(defaultGatewayLimits.waitingBytes / gateways) },
    internalRoute: metricsRoute(organisation, readMetrics, log),
    observe: (record) => link.observe(record),
    onStopRequested: (replica) => link.stopReplica(replica),
  });
}

function runningWorkers(stateFolder: string): number {
  const others = lockedGateways(stateFolder).filter((role) => role !== "gateway");
  return others.flatMap((role) => readLock(stateFolder, role) ?? []).filter(isAlive).length;
}

/** Keys last sent by the control plane. */
class SharedKeys implements KeyVerifier {
  readonly #stateFolder: string;
  #keys = new Map<string, StoredKey>();
  #check: TokenCheck | undefined;

  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
  }

  replace(shared: readonly SharedKey[]): void {
    // The control plane creates the pepper before it sends keys.
    this.#check ??= new TokenCheck(loadPepper(pepperFile(this.#stateFolder), 1));
    this.#keys = new Map(
      shared.map(({ key, digest }) => [key.id, { key, digest: Buffer.from(digest, "base64") }]),
    );
  }

  stored(): StoredKey[] {
    return [...this.#keys.values()];
  }

  verify(token: string): CloudKey | undefined {
    return this.#check?.find(this.#keys, token, systemClock.wallMs())?.key;
  }
}
