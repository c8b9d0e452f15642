// Messages about runs between the control plane, which owns the queue, and the gateway, which sends its
// requests to replicas: HTTP over a Unix socket, with a JSON document per line.
import type { CloudKey } from "../keys/cloud-key.ts";

/** First line of a `POST /runs`, before the request's body. */
export interface RunOrder {
  /** Id of the queued request. */
  id: string;
  organisation: string;
  app: string;
  path: string;
  /** Name, value, name, value. */
  headers: readonly string[];
  address: string;
  forwardHeaders: readonly string[];
  key: CloudKey | undefined;
  affinity: string | undefined;
  /** Milliseconds to wait for a replica. */
  startTimeoutMs: number;
  maxResultBytes: number;
}

/** Lines of the reply to `POST /runs` and `GET /runs/ID`; the result's body follows the last one. */
export type RunEvent =
  /** Sent before the replica gets the request. */
  | { kind: "started"; replica: string; revision: string }
  | {
      kind: "ended";
      status: number;
      /** Name, value, name, value. */
      headers: readonly string[];
      /** Set for an error of the gateway. */
      errorType: string | undefined;
    };

/** Header of every reply: identifies the gateway's process. */
export const gatewayHeader = "x-dctl-gateway";

/** Joins a document and the bytes that follow it. */
export function withBody(document: unknown, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(document)}\n`), body]);
}

/** Splits what `withBody` has joined. Both ends ship in one package, so documents are not validated. */
export function splitBody<T>(whole: Buffer): { document: T; body: Buffer } {
  const end = whole.indexOf(10);
  return { document: JSON.parse(whole.toString("utf8", 0, end)), body: whole.subarray(end + 1) };
}
