// What the gateway is made with, and its limits where nobody says otherwise.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type MinimumRate, usualRate } from "../../base/body-rate.ts";
import type { Clock } from "../../base/clock.ts";
import type { CloudKey, KeyVerifier } from "../keys/cloud-key.ts";
import type { ExchangeRecord } from "./exchange-record.ts";
import type { ListenerOptions } from "./listener-options.ts";

export interface GatewayLimits {
  /** Of a request's body. */
  bodyBytes: number;
  /** Of all headers and the URL together. */
  headerBytes: number;
  urlBytes: number;
  /** Of bodies that wait, of all apps together. */
  waitingBytes: number;
  /** Up to here a body is read before a replica is asked for, and kept for another try. */
  repeatableBytes: number;
  /** Up to here a body is looked into: whether it asks for a stream. */
  readableBytes: number;
  /** A client that sends a body more slowly is refused, also where a replica reads it already. */
  uploadRate: MinimumRate;
  /** A client that takes nothing for so long is dropped. */
  writeStallMs: number;
  connectTimeoutMs: number;
  /** How long the rest of a refused body is read, so that the refusal arrives. */
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
 * @param key of the caller; undefined without a valid one
 * @returns false: there is no such path
 */
export type InternalRoute = (
  request: IncomingMessage,
  response: ServerResponse,
  key: CloudKey | undefined,
) => boolean;

export interface GatewayOptions {
  listeners: readonly ListenerOptions[];
  keys: KeyVerifier;
  limits?: Partial<GatewayLimits>;
  /** CIDR blocks whose X-Forwarded headers are believed. */
  trustedProxies?: readonly string[];
  /** For `/_/readyz`. */
  isReady?: () => boolean;
  internalRoute?: InternalRoute;
  /** Told of every request when it is over. */
  observe?: (record: ExchangeRecord) => void;
  /** A replica has asked to be replaced, by `X-Dctl-Stop-Runner: 1`. */
  onStopWish?: (replica: string) => void;
  log: (text: string) => void;
  clock?: Clock;
}
