// A request that was let in, and what the gateway has at hand for it.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { CloudKey } from "../keys/cloud-key.ts";
import type { AppTraffic } from "./app-traffic.ts";
import type { Origin } from "./client-address.ts";
import type { ExchangeRecord } from "./exchange-record.ts";
import type { GatewayLimits } from "./gateway-options.ts";
import type { WaitingBytes } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import type { AppPath } from "./request-path.ts";
import type { SpentBuffers } from "./spent-buffers.ts";
import type { WaitingRules } from "./waiting-rules.ts";

/** What all exchanges of a gateway share. */
export interface ExchangeContext {
  limits: GatewayLimits;
  clock: Clock;
  waiting: WaitingBytes;
  spent: SpentBuffers;
  observe: (record: ExchangeRecord) => void;
  onStopWish: (replica: string) => void;
}

/** A request that may go to its app. */
export interface Arrival {
  id: string;
  request: IncomingMessage;
  response: ServerResponse;
  path: AppPath;
  head: RequestHead;
  origin: Origin;
  key: CloudKey | undefined;
  traffic: AppTraffic;
  rules: WaitingRules;
  /** Monotonic. */
  arrivedAt: number;
}
