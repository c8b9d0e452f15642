// Connections to one replica, each with one request at a time. Reuses the latest idle connection, so
// that the others can close.
import { connect } from "node:net";
import { Client } from "undici";

/** Below the 5 s after which uvicorn closes an idle connection. */
const idleMs = 4000;
const largestHeadBytes = 64 * 1024;

export class UpstreamConnection {
  readonly client: Client;
  /** Number of replies over the current socket. */
  answered = 0;

  constructor(endpoint: string, connectTimeoutMs: number) {
    this.client = new Client(endpoint, {
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // Each request has its own timeout.
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

  /** Takes back a connection whose request is over. */
  give(connection: UpstreamConnection): void {
    if (this.#isClosed) void connection.client.destroy();
    else this.#idle.push(connection);
  }

  /** Resolves to true while the replica accepts connections. */
  async isListening(): Promise<boolean> {
    const { hostname, port } = new URL(this.#endpoint);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(this.#connectTimeoutMs, () => socket.destroy());
    return await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      // An error is followed by "close".
      socket.on("error", () => {});
      socket.once("close", () => resolve(false));
    }).finally(() => socket.destroy());
  }

  /** Closes idle connections now, and the others when they return. */
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
