// Record of a finished request, without its content.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { TraceSpan } from "../../tracing/tracing.ts";
import type { CloudKey } from "../keys/cloud-key.ts";
import type { Origin } from "./client-address.ts";
import { type ErrorType, type Refusal, refusalStatuses } from "./refusals.ts";
import { type AppPath, withoutQuery } from "./request-path.ts";

/** Returns a random request id, which clients, replicas and logs share. */
export function drawRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

export interface TokenCounts {
  prompt: number;
  completion: number;
  /** Prompt tokens read from a cache. */
  cached: number;
}

export interface ExchangeRecord {
  /** `req_…`, as sent to the client. */
  id: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Undefined if the path names no existing app. */
  organisation: string | undefined;
  app: string | undefined;
  revision: string | undefined;
  replica: string | undefined;
  keyId: string | undefined;
  /** Address of the client. */
  address: string;
  method: string;
  /** Path without its query, and without the name of a known app. */
  path: string;
  /** 499 if the client disconnected. */
  status: number;
  errorType: ErrorType | undefined;
  /** True if no replica was ready on arrival. */
  isColdStart: boolean;
  queueMs: number;
  /** Milliseconds from arrival to the reply's head. */
  firstByteMs: number | undefined;
  totalMs: number;
  receivedBytes: number;
  sentBytes: number;
  tokens: TokenCounts | undefined;
  /** True for a request of the queue. */
  isQueued?: boolean | undefined;
}

const longestPath = 500;

/** Facts about a request from its head. */
export interface RequestFacts {
  id: string;
  request: IncomingMessage;
  origin: Origin;
  path?: AppPath | undefined;
  key?: CloudKey | undefined;
  /** Undefined without a collector of traces, and for a request that is not admitted. */
  trace?: TraceSpan | undefined;
  /** Monotonic. */
  arrivedAt: number;
}

/** Record of a request that ends now, with the fields that all records have. */
export function openRecord(
  { id, request, origin, path, key, arrivedAt }: RequestFacts,
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

/** Record of a request that was refused. */
export function refusedRecord(
  facts: RequestFacts,
  { type }: Refusal,
  clock: Clock,
): ExchangeRecord {
  return { ...openRecord(facts, clock), status: refusalStatuses[type], errorType: type };
}
