// Commands of the queue's callers, as the gateway sends them to the control plane.
import { readAppPath } from "../gateway/request-path.ts";

export const queuePathPrefix = "/queue/";
/** Public keys that verify webhooks. */
export const webhookKeysPath = "/.well-known/jwks.json";

export type QueueAction = "submit" | "status" | "follow" | "result" | "cancel";

/** Path of the queue below its prefix. */
export interface QueuePath {
  action: QueueAction;
  organisation: string;
  app: string;
  /** Empty for a submission. */
  requestId: string;
  /** Path for the replica with its query; starts with a slash. */
  rest: string;
}

export type QueueCommand =
  | {
      action: Exclude<QueueAction, "submit">;
      organisation: string;
      app: string;
      requestId: string;
      /** Organisation of the caller's key; empty without a key. */
      caller: string;
      baseUrl: string;
      withLogs: boolean;
    }
  | {
      action: "submit";
      organisation: string;
      app: string;
      /** Drawn by the gateway, so that it can send the command again. */
      requestId: string;
      caller: string;
      baseUrl: string;
      submission: Submission;
    }
  | { action: "webhook-keys" };

/** Facts about a submitted request that are stored with its body. */
export interface Submission {
  keyId: string | undefined;
  path: string;
  /** Name, value, name, value. */
  headers: readonly string[];
  /** Address of the client, and the headers that tell it to replicas. */
  address: string;
  forwardHeaders: readonly string[];
  isLowPriority: boolean;
  /** A replica may get it twice. */
  isRepeatable: boolean;
  /** Milliseconds within which a replica must start on it. */
  startTimeoutMs: number | undefined;
  affinity: string | undefined;
  idempotencyKey: string | undefined;
  webhook: string | undefined;
}

const requestPath = /^\/requests\/([^/?]+)(\/status\/stream|\/status|\/cancel|\/?)(?:\?|$)/;
const actions = {
  "GET /status": "status",
  "GET /status/stream": "follow",
  "GET ": "result",
  "GET /": "result",
  "PUT /cancel": "cancel",
} as const satisfies Record<string, QueueAction>;

/**
 * Reads `/queue/OWNER/ALIAS[/path]` for POST, and `/queue/OWNER/ALIAS/requests/ID[/status|/cancel]` for
 * the others, as fal's clients ask.
 *
 * @returns undefined if the method and the target belong to no command
 */
export function readQueuePath(method: string, target: string): QueuePath | undefined {
  const path = readAppPath(target.slice(queuePathPrefix.length - 1));
  if (path === undefined) return undefined;
  if (method === "POST") return { ...path, action: "submit", requestId: "" };
  const [, requestId = "", end = ""] = requestPath.exec(path.rest) ?? [];
  const found = Object.entries(actions).find(([name]) => name === `${method} ${end}`);
  if (requestId === "" || found === undefined) return undefined;
  return { ...path, action: found[1], requestId };
}
