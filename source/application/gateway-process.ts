// Gateway in a separate process, which serves from its last tables while no control plane runs.
import path from "node:path";
import { systemClock } from "../base/clock.ts";
import { AdminClient } from "../cloud/admin/admin-client.ts";
import { createGateway } from "../cloud/gateway/create-gateway.ts";
import { ControlPlaneLink } from "../cloud/gateway-link/control-plane-link.ts";
import type { SharedKey } from "../cloud/gateway-link/messages.ts";
import type { CloudKey, KeyVerifier } from "../cloud/keys/cloud-key.ts";
import { loadPepper, pepperFile } from "../cloud/keys/pepper.ts";
import { type StoredKey, TokenCheck } from "../cloud/keys/token-check.ts";
import { takeLock } from "../cloud/state/lock-file.ts";
import type { CloudHostOptions } from "./cloud-host.ts";
import { adminSocket } from "./control-plane-process.ts";
import { metricsRoute } from "./metrics-route.ts";

/** Socket on which the control plane of a state folder waits for its gateway. */
export function gatewaySocket(stateFolder: string): string {
  return path.join(stateFolder, "link.sock");
}

export interface GatewayProcessOptions
  extends Pick<
    CloudHostOptions,
    "stateFolder" | "organisation" | "listeners" | "trustedProxies" | "log"
  > {
  onListening: () => void;
}

/**
 * Resolves when the control plane has stopped the gateway. A gateway that ends without that leaves
 * its lock file, by which the supervisor starts another one.
 *
 * @throws ProductError `CLOUD_ALREADY_RUNNING`, `CLOUD_ADDRESS_UNUSABLE` and others of the addresses
 */
export async function runGateway(options: GatewayProcessOptions): Promise<void> {
  const { stateFolder, organisation, listeners, trustedProxies = [], log, onListening } = options;
  const release = takeLock(stateFolder, "gateway");
  const keys = new SharedKeys(stateFolder);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const readMetrics = async () =>
    await new AdminClient({ socketPath: adminSocket(stateFolder) }).metrics();
  const link = new ControlPlaneLink({
    socketPath: gatewaySocket(stateFolder),
    openGateway: (ports) =>
      createGateway({
        // An address on any free port keeps the port of the gateway before.
        listeners: listeners.map((it, index) => ({ ...it, port: it.port || (ports[index] ?? 0) })),
        ...{ keys, trustedProxies, log },
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
  }
}

/** Keys as the control plane last sent them. */
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
