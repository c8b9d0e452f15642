// Messages between a gateway and the control plane: JSON documents, one per line, over a Unix socket.
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { BoundAddress } from "../gateway/listener-options.ts";
import type { RoutedApp, TrafficReport } from "../gateway/traffic.ts";
import type { CloudKey } from "../keys/cloud-key.ts";

/** Key with the digest of its secret, in base64. */
export interface SharedKey {
  key: CloudKey;
  digest: string;
}

export type ToGateway =
  /** Replaces the routing table; the version comes back with the next report. */
  | { kind: "routes"; version: number; apps: readonly RoutedApp[] }
  /** Replaces all keys. */
  | { kind: "keys"; keys: readonly SharedKey[] }
  /** Opens the addresses; the ports are those of an earlier gateway, for listeners on port 0. */
  | { kind: "listen"; ports: readonly number[] }
  | { kind: "cut"; keyId: string }
  | { kind: "close"; drainMs: number };

export type ToControlPlane =
  /** First message of a connection; the addresses are empty until the gateway listens. */
  | { kind: "hello"; addresses: readonly BoundAddress[] }
  | { kind: "listening"; addresses: readonly BoundAddress[] }
  | { kind: "traffic"; version: number; report: TrafficReport }
  | { kind: "finished"; records: readonly ExchangeRecord[] }
  | { kind: "stop-replica"; replica: string }
  | { kind: "closed" };
