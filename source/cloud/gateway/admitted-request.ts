// Admitted request, and the parts of the gateway that all exchanges share.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { TraceSpan, Tracing } from "../../tracing/tracing.ts";
import type { CloudKey } from "../keys/cloud-key.ts";
import type { AppTraffic } from "./app-traffic.ts";
import type { BufferCollection } from "./buffer-collection.ts";
import type { Origin } from "./client-address.ts";
import type { ExchangeRecord, RequestFacts } from "./exchange-record.ts";
import type { GatewayLimits } from "./gateway-options.ts";
import type { QueuedRun } from "./held-runs.ts";
import type { WaitingBytes } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import type { AppPath } from "./request-path.ts";
import type { WaitingRules } from "./waiting-rules.ts";

/** Parts that all exchanges of a gateway share. */
export interface ExchangeContext {
  limits: GatewayLimits;
  clock: Clock;
  waiting: WaitingBytes;
  buffers: BufferCollection;
  /** Undefined: traces are off. */
  tracing: Tracing | undefined;
  /** Called once for each request, when it is over. */
  observe: (record: ExchangeRecord, facts: RequestFacts) => void;
  onStopRequested: (replica: string) => void;
}

/** Request that may go to its app. */
export interface AdmittedRequest {
  id: string;
  request: IncomingMessage;
  response: ServerResponse;
  path: AppPath;
  head: RequestHead;
  origin: Origin;
  key: CloudKey | undefined;
  traffic: AppTraffic;
  rules: WaitingRules;
  trace: TraceSpan | undefined;
  /** Set for a request of the queue. */
  run?: QueuedRun | undefined;
  /** Monotonic milliseconds. */
  arrivedAt: number;
}
