// Connections to one replica, each with one request at a time. Reuses the latest idle connection, so
// that the others can close.
import type { Client } from "undici";
import PlainClient from "undici/lib/dispatcher/client.js";
import { canConnect } from "../engines/ready-probe.ts";
import type { ReplicaAddress } from "../replica-address.ts";

/** Below the 5 s after which uvicorn closes an idle connection. */
const idleMs = 4000;
const largestHeadBytes = 64 * 1024;

export class UpstreamConnection {
  readonly client: Client;
  /** Number of replies over the current socket. */
  answered = 0;

  constructor(origin: string, connectTimeoutMs: number) {
    this.client = new PlainClient(origin, {
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
  readonly #address: ReplicaAddress;
  readonly #connectTimeoutMs: number;
  readonly #idle: UpstreamConnection[] = [];
  #isClosed = false;

  constructor(address: ReplicaAddress, connectTimeoutMs: number) {
    this.#address = address;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /** @param isNew opens a connection, as an idle one may just be closing */
  take({ isNew = false } = {}): UpstreamConnection {
    return (isNew ? undefined : this.#idle.pop()) ?? this.#open();
  }

  /** Takes back a connection whose request is over. */
  give(connection: UpstreamConnection): void {
    if (this.#isClosed) void connection.client.destroy();
    else this.#idle.push(connection);
  }

  /** Resolves to true while the replica, or the proxy in front of it, accepts connections. */
  async isListening(): Promise<boolean> {
    return await canConnect(this.#address, this.#connectTimeoutMs);
  }

  /** Closes idle connections now, and the others when they return. */
  close(): void {
    this.#isClosed = true;
    for (const { client } of this.#idle.splice(0)) void client.destroy();
  }

  #open(): UpstreamConnection {
    const connection = new UpstreamConnection(this.#address.origin, this.#connectTimeoutMs);
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
