// Gateway process, which serves from its last routing table while no control plane runs.
import { systemClock } from "../../base/clock.ts";
import { AdminClient } from "../../cloud/admin/admin-client.ts";
import type { TrustedProxies } from "../../cloud/gateway/client-address.ts";
import { Gateway } from "../../cloud/gateway/gateway.ts";
import type { ListenerOptions } from "../../cloud/gateway/gateway-options.ts";
import { ControlPlaneLink } from "../../cloud/gateway-link/control-plane-link.ts";
import type { SharedKey } from "../../cloud/gateway-link/messages.ts";
import type { CloudKey, KeyVerifier } from "../../cloud/keys/cloud-key.ts";
import { loadPepper, pepperFile } from "../../cloud/keys/pepper.ts";
import { type StoredKey, TokenCheck } from "../../cloud/keys/token-check.ts";
import { defaultQueueLimits, type QueueLimits } from "../../cloud/queue/queue-limits.ts";
import { takeLock } from "../../cloud/state/lock-file.ts";
import { openTracing } from "../../tracing/tracing.ts";
import { adminSocket, gatewaySocket, queueSocket, runsSocket } from "./cloud-server.ts";
import { metricsRoute } from "./metrics-route.ts";

export interface GatewayProcessOptions {
  stateFolder: string;
  /** Its admin keys read the metrics. */
  organisation: string;
  listeners: readonly ListenerOptions[];
  trustedProxies?: TrustedProxies | undefined;
  queueLimits?: Partial<QueueLimits> | undefined;
  onListening: () => void;
  log: (text: string) => void;
}

/**
 * Resolves when the control plane has stopped the gateway. A gateway that ends otherwise leaves its lock
 * file, and the supervisor restarts it.
 *
 * @throws ProductError `CLOUD_ALREADY_RUNNING`, `CLOUD_ADDRESS_UNUSABLE` and others of the addresses
 */
export async function runGateway(options: GatewayProcessOptions): Promise<void> {
  const { stateFolder, organisation, listeners, trustedProxies, log, onListening } = options;
  const { queueLimits } = options;
  const tracing = await openTracing("deployctl", log);
  const release = takeLock(stateFolder, "gateway");
  const keys = new SharedKeys(stateFolder);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const readMetrics = async () =>
    await new AdminClient({ socketPath: adminSocket(stateFolder) }).metrics();
  const link = new ControlPlaneLink({
    socketPath: gatewaySocket(stateFolder),
    openGateway: (ports) =>
      new Gateway({
        // A restarted gateway on any free port keeps its port.
        listeners: listeners.map((it, index) => ({ ...it, port: it.port || (ports[index] ?? 0) })),
        ...{ keys, trustedProxies, tracing, log },
        queue: {
          controlPlaneSocket: queueSocket(stateFolder),
          runsSocket: runsSocket(stateFolder),
          limits: { ...defaultQueueLimits, ...queueLimits },
        },
        internalRoute: metricsRoute(organisation, readMetrics, log),
        observe: (record) => link.observe(record),
        onStopRequested: (replica) => link.stopReplica(replica),
      }),
    onKeys: (shared) => keys.replace(shared),
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

  verify(token: string): CloudKey | undefined {
    return this.#check?.find(this.#keys, token, systemClock.wallMs())?.key;
  }
}
