// The connections to one replica. Each carries one request at a time; those idle are used again,
// the latest first, so that the others can go.
import { Client } from "undici";

/** uvicorn closes what was idle for 5 s; what is about to be closed is not used any more. */
const idleMs = 4000;
const largestHeadBytes = 64 * 1024;

export class UpstreamConnection {
  readonly client: Client;
  /** Replies that came over the socket that is open now. */
  answered = 0;

  constructor(endpoint: string, connectTimeoutMs: number) {
    this.client = new Client(endpoint, {
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // How long a reply may take is decided for each request.
      headersTimeout: 0,
      bodyTimeout: 0,
      connectTimeout: connectTimeoutMs,
      maxHeaderSize: largestHeadBytes,
    });
  }
}

export class UpstreamPool {
  readonly #endpoint: string;
  readonly #connectTimeoutMs: number;
  readonly #idle: UpstreamConnection[] = [];
  #isClosed = false;

  constructor(endpoint: string, connectTimeoutMs: number) {
    this.#endpoint = endpoint;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  take(): UpstreamConnection {
    return this.#idle.pop() ?? this.#open();
  }

  /** Takes a connection back whose request is over, well or not. */
  give(connection: UpstreamConnection): void {
    if (this.#isClosed) void connection.client.destroy();
    else this.#idle.push(connection);
  }

  /** Ends what is idle now, and the others when they come back. */
  close(): void {
    this.#isClosed = true;
    for (const { client } of this.#idle.splice(0)) void client.destroy();
  }

  #open(): UpstreamConnection {
    const connection = new UpstreamConnection(this.#endpoint, this.#connectTimeoutMs);
    connection.client.on("disconnect", () => {
      connection.answered = 0;
      const place = this.#idle.indexOf(connection);
      if (place < 0) return;
      this.#idle.splice(place, 1);
      void connection.client.destroy();
    });
    return connection;
  }
}
