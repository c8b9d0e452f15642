// Messages between the gateway and the control plane: JSON documents, one per line, over a Unix socket.
import type { Socket } from "node:net";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { BoundAddress, RoutedApp, TrafficReport } from "../gateway/traffic.ts";
import type { CloudKey } from "../keys/cloud-key.ts";

/** Key with the digest of its secret, in base64. */
export interface SharedKey {
  key: CloudKey;
  digest: string;
}

export type ToGateway =
  /** Replaces the routing table; the version comes back with the next report. */
  | { kind: "routes"; version: number; apps: readonly RoutedApp[] }
  /** Replaces all keys. */
  | { kind: "keys"; keys: readonly SharedKey[] }
  /** Opens the addresses; the ports are those of an earlier gateway, for listeners on port 0. */
  | { kind: "listen"; ports: readonly number[] }
  | { kind: "cut"; keyId: string }
  | { kind: "close"; drainMs: number };

export type ToControlPlane =
  /** First message of a connection; the addresses are empty until the gateway listens. */
  | { kind: "hello"; addresses: readonly BoundAddress[] }
  | { kind: "listening"; addresses: readonly BoundAddress[] }
  | { kind: "traffic"; version: number; report: TrafficReport }
  | { kind: "finished"; records: readonly ExchangeRecord[] }
  | { kind: "stop-replica"; replica: string }
  | { kind: "closed" };

/** Connection that carries JSON documents, one per line. */
export class JsonLines<Incoming, Outgoing> {
  readonly #socket: Socket;

  /** Both ends ship in one package, so documents are not validated field by field. */
  constructor(socket: Socket, onMessage: (message: Incoming) => void) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    // A broken connection also ends with "close".
    socket.on("error", () => {});
    let rest = "";
    socket.on("data", (piece) => {
      const lines = (rest + String(piece)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onMessage(JSON.parse(line) as Incoming);
    });
  }

  /** Bytes that the other end has not read yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength;
  }

  send(message: Outgoing): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  end(): void {
    this.#socket.end();
  }
}
