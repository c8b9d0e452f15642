// Options of the gateway and its listeners, and its default limits.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type MinimumRate, usualRate } from "../../base/body-rate.ts";
import type { Clock } from "../../base/clock.ts";
import type { Tracing } from "../../tracing/tracing.ts";
import type { CloudKey, KeyVerifier } from "../keys/cloud-key.ts";
import type { QueueLimits } from "../queue/queue-limits.ts";
import type { TrustedProxies } from "./client-address.ts";
import type { ExchangeRecord } from "./exchange-record.ts";

export type Encryption =
  | { kind: "none" }
  /** Files are read again when they change; checked every `checkMs`. */
  | { kind: "files"; certificateFile: string; keyFile: string; checkMs?: number }
  /** Certificate authority of the gateway's own, kept in `folder`. */
  | { kind: "self-signed"; folder: string; names: readonly string[] };

export interface ListenerOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  encryption: Encryption;
  /** Allows plain HTTP beyond loopback. */
  allowsPlainHttp?: boolean;
}

export interface GatewayLimits {
  /** Maximum size of a request body. */
  bodyBytes: number;
  /** Maximum size of all headers and the URL together. */
  headerBytes: number;
  urlBytes: number;
  /** Maximum size of all queued bodies together, across apps. */
  waitingBytes: number;
  /** Maximum size of a body that is buffered before a replica is chosen, and kept for retries. */
  repeatableBytes: number;
  /** Maximum size of a body that is searched for `"stream": true`. */
  readableBytes: number;
  /** Minimum upload rate; slower clients are refused, even if a replica is already reading. */
  uploadRate: MinimumRate;
  /** Time after which a client that reads nothing is disconnected. */
  writeStallMs: number;
  connectTimeoutMs: number;
  /** Time to keep reading a refused body, so that the client receives the refusal. */
  lingerMs: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  bodyBytes: 32 * 2 ** 20,
  headerBytes: 32 * 2 ** 10,
  urlBytes: 16 * 2 ** 10,
  waitingBytes: 256 * 2 ** 20,
  repeatableBytes: 2 ** 20,
  readableBytes: 8 * 2 ** 20,
  uploadRate: usualRate,
  writeStallMs: 120_000,
  connectTimeoutMs: 5000,
  lingerMs: 2000,
};

/**
 * Answers a path below `/_/` that is not the gateway's own.
 *
 * @param key key of the caller; undefined without a valid one
 * @returns false if no such path exists
 */
export type InternalRoute = (
  request: IncomingMessage,
  response: ServerResponse,
  key: CloudKey | undefined,
) => boolean;

export interface GatewayQueueOptions {
  /** Socket on which the control plane takes commands. */
  controlPlaneSocket: string;
  /** Socket on which the gateway takes runs. */
  runsSocket: string;
  limits: Pick<QueueLimits, "requestBytes">;
}

export interface GatewayOptions {
  listeners: readonly ListenerOptions[];
  keys: KeyVerifier;
  limits?: Partial<GatewayLimits>;
  trustedProxies?: TrustedProxies | undefined;
  internalRoute?: InternalRoute;
  queue?: GatewayQueueOptions | undefined;
  tracing?: Tracing | undefined;
  /** Called when a request is over. */
  observe?: (record: ExchangeRecord) => void;
  /** Called when a replica asks to be replaced with `X-Dctl-Stop-Runner: 1`. */
  onStopRequested?: (replica: string) => void;
  log: (text: string) => void;
  clock?: Clock;
}
