// Requests to the loopback hub, and faults that a test injects.

export interface HubRequest {
  /** The hub itself, or the file storage that it redirects to. */
  server: "hub" | "storage";
  method: string;
  /** Without the query. */
  path: string;
  /** From `start` up to but without `end`, when the request has a `Range`. */
  range?: { start: number; end: number };
  authorization?: string;
  /** The client's end of the connection over which it came. */
  clientPort: number | undefined;
  /** Number of earlier requests to this server and path. */
  earlier: number;
  /** Bytes of the body that were handed to the socket. */
  sentBytes: number;
}

/** The fault of one answer. Bytes are those of this answer's body. */
export interface HubFault {
  /** Answers this instead. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Breaks the connection with a reset after so many bytes. */
  resetAfterBytes?: number;
  /** Ends the connection in good order after so many bytes, the length being promised longer. */
  truncateAfterBytes?: number;
  /** Sends nothing more after so many bytes, and keeps the connection. */
  stallAfterBytes?: number;
  bytesPerSecond?: number;
  /** Answers a range with the whole file. */
  ignoreRange?: boolean;
  /** The size that the answer speaks of, in Content-Range or Content-Length. */
  claimedSizeBytes?: number;
  /** Sends other bytes of the same length. */
  garble?: boolean;
  etag?: string;
}

export type HubFaults = (request: HubRequest) => HubFault | undefined;

/** Requests that come in the same order again are counted by server and path. */
export class RequestLog {
  readonly list: HubRequest[] = [];
  readonly #counts = new Map<string, number>();

  add(request: Omit<HubRequest, "earlier" | "sentBytes">): HubRequest {
    const key = `${request.server} ${request.method} ${request.path}`;
    const earlier = this.#counts.get(key) ?? 0;
    this.#counts.set(key, earlier + 1);
    const noted = { ...request, earlier, sentBytes: 0 };
    this.list.push(noted);
    return noted;
  }
}
