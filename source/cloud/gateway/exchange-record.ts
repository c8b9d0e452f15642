// What is known of one request when it is over; never what was said.
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { CloudKey } from "../keys/cloud-key.ts";
import type { Origin } from "./client-address.ts";
import { type ErrorType, type Refusal, refusalStatus } from "./refusals.ts";
import { type AppPath, withoutQuery } from "./request-path.ts";

export interface TokenCounts {
  prompt: number;
  completion: number;
  /** Of the prompt, read from a cache. */
  cached: number;
}

export interface ExchangeRecord {
  /** `req_…`, as the client was told. */
  id: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Undefined where the path names no app that there is. */
  organisation: string | undefined;
  app: string | undefined;
  revision: string | undefined;
  replica: string | undefined;
  keyId: string | undefined;
  /** Where the request came from. */
  address: string;
  method: string;
  /** Without query, and where the app is known without its name. */
  path: string;
  /** 499 when the client left. */
  status: number;
  errorType: ErrorType | undefined;
  /** It came when no replica was ready. */
  isColdStart: boolean;
  queueMs: number;
  /** From arrival to the reply's head. */
  firstByteMs: number | undefined;
  totalMs: number;
  receivedBytes: number;
  sentBytes: number;
  tokens: TokenCounts | undefined;
}

const longestPath = 500;

/** What is known of a request from its head. */
export interface Visited {
  id: string;
  request: IncomingMessage;
  origin: Origin;
  path?: AppPath | undefined;
  key?: CloudKey | undefined;
  /** Monotonic. */
  arrivedAt: number;
}

/** The record of a request that ends now, with all that is known of every one. */
export function openRecord(
  { id, request, origin, path, key, arrivedAt }: Visited,
  clock: Clock,
): ExchangeRecord {
  const totalMs = clock.now() - arrivedAt;
  return {
    id,
    startedAt: clock.wallMs() - totalMs,
    organisation: path?.organisation,
    app: path?.app,
    revision: undefined,
    replica: undefined,
    keyId: key?.id,
    address: origin.address,
    method: request.method ?? "",
    path: withoutQuery(path?.rest ?? request.url ?? "").slice(0, longestPath),
    status: 0,
    errorType: undefined,
    isColdStart: false,
    queueMs: 0,
    firstByteMs: undefined,
    totalMs,
    receivedBytes: 0,
    sentBytes: 0,
    tokens: undefined,
  };
}

/** The record of a request that was not let in. */
export function refusedRecord(visited: Visited, { type }: Refusal, clock: Clock): ExchangeRecord {
  return { ...openRecord(visited, clock), status: refusalStatus(type), errorType: type };
}
