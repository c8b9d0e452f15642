// Runs at the gateway, as the control plane starts, follows and ends them.
import type { IncomingMessage } from "node:http";
import { askSocket, type SocketRequest } from "../http-socket.ts";
import { gatewayHeader, type RunEvent, type RunOrder, withBody } from "./run-messages.ts";

export type RunOutcome =
  | {
      kind: "ended";
      status: number;
      headers: readonly string[];
      body: Buffer;
      /** Set for an error of the gateway. */
      errorType: string | undefined;
      wasStarted: boolean;
    }
  /** The gateway has ended before the run. */
  | { kind: "lost"; wasStarted: boolean };

export interface StartedRun {
  replica: string;
  revision: string;
}

export class GatewayRuns {
  readonly #socketPath: string;
  #gateway: string | undefined;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Identifies the gateway's process; undefined while none answers. */
  async gateway(): Promise<string | undefined> {
    if (this.#gateway !== undefined) return this.#gateway;
    try {
      (await this.#ask("GET", "/")).resume();
    } catch {
      return undefined; // it is restarting
    }
    return this.#gateway;
  }

  /** Starts a run and waits for its end. */
  async run(
    order: RunOrder,
    body: Buffer,
    onStarted: (run: StartedRun) => void,
  ): Promise<RunOutcome> {
    try {
      const reply = await this.#ask("POST", "/runs", withBody(order, body));
      return await readRun(reply, onStarted);
    } catch {
      this.#gateway = undefined;
      return { kind: "lost", wasStarted: false };
    }
  }

  /**
   * Waits for the end of a run of an earlier control plane.
   *
   * @param gateway that it was sent to
   * @returns undefined while no gateway answers
   */
  async resume(
    id: string,
    gateway: string | undefined,
    onStarted: (run: StartedRun) => void,
  ): Promise<RunOutcome | undefined> {
    let reply: IncomingMessage;
    try {
      reply = await this.#ask("GET", `/runs/${id}`);
    } catch {
      return undefined;
    }
    if (reply.statusCode === 200) return await readRun(reply, onStarted);
    reply.resume();
    // The same process never got it; another one knows nothing about it.
    return { kind: "lost", wasStarted: this.#gateway !== gateway };
  }

  /** Aborts a run, or frees its stored result. */
  async end(id: string): Promise<void> {
    try {
      (await this.#ask("DELETE", `/runs/${id}`)).resume();
    } catch {
      this.#gateway = undefined; // a gateway that has ended holds nothing
    }
  }

  async #ask(
    method: SocketRequest["method"],
    path: string,
    body?: Buffer,
  ): Promise<IncomingMessage> {
    const reply = await askSocket({ socketPath: this.#socketPath, method, path, body });
    this.#gateway = reply.headers[gatewayHeader]?.toString();
    return reply;
  }
}

async function readRun(
  reply: IncomingMessage,
  onStarted: (run: StartedRun) => void,
): Promise<RunOutcome> {
  let wasStarted = false;
  let ended: Extract<RunEvent, { kind: "ended" }> | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const pieces: Buffer[] = [];
  try {
    for await (const piece of reply) {
      if (ended !== undefined) {
        pieces.push(piece);
        continue;
      }
      rest = Buffer.concat([rest, piece]);
      for (let end = rest.indexOf(10); end >= 0 && ended === undefined; end = rest.indexOf(10)) {
        const event: RunEvent = JSON.parse(rest.toString("utf8", 0, end));
        rest = rest.subarray(end + 1);
        if (event.kind === "ended") {
          ended = event;
          pieces.push(rest);
        } else {
          wasStarted = true;
          onStarted(event);
        }
      }
    }
  } catch {
    // The gateway has ended.
    return { kind: "lost", wasStarted };
  }
  if (ended === undefined) return { kind: "lost", wasStarted };
  const { status, headers, errorType } = ended;
  return { kind: "ended", status, headers, errorType, body: Buffer.concat(pieces), wasStarted };
}
