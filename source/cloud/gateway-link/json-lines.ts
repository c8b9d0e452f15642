// Connection that carries JSON documents, one per line.
import type { Socket } from "node:net";

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
