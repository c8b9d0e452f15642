// `GET /v1/models` of an app that sleeps: answered from the last reply, noted when it was awake.
import type { Arrival, ExchangeContext } from "./arrival.ts";
import type { RawHeaders } from "./attempt.ts";
import { openRecord } from "./exchange-record.ts";
import { type KeptReply, mostKeptBytes, type RequestHeaders, textOfAll } from "./kept-models.ts";
import { textOf } from "./reply-head.ts";

const modelsPath = "/v1/models";

/**
 * Answers from what is kept. A caller that says `X-Dctl-Cold-Start: wait` wants a replica's word.
 *
 * @returns false: nothing fits, and the request goes its usual way
 */
export function answerFromKept(arrival: Arrival, { clock, observe }: ExchangeContext): boolean {
  const { request, response, head, traffic, key } = arrival;
  const { routed, isOpen, keptModels } = traffic;
  if (routed.modelsCache !== true || isOpen || !asksForModels(arrival)) return false;
  if (head.coldStart === "wait") return false;
  const kept = keptModels.find(key?.organisation, request.headers);
  if (kept === undefined) return false;
  const headers = [...kept.headers, "Content-Length", String(kept.body.length)];
  headers.push("Age", String(Math.floor((clock.now() - kept.keptAt) / 1000)));
  headers.push("X-Dctl-Request-Id", arrival.id, "X-Dctl-Revision", routed.revision ?? "");
  headers.push("X-Dctl-Cold-Start", "1", "X-Dctl-Cache", "cold");
  const firstByteMs = clock.now() - arrival.arrivedAt;
  response.once("close", () => {
    const hasLeft = !response.writableFinished;
    observe({
      ...openRecord(arrival, clock),
      revision: routed.revision,
      status: hasLeft ? 499 : 200,
      errorType: hasLeft ? "client_disconnected" : undefined,
      firstByteMs,
      sentBytes: request.method === "HEAD" ? 0 : kept.body.length,
    });
  });
  response.writeHead(200, "OK", headers);
  response.end(kept.body);
  return true;
}

/** Notes a list of models while it is passed on. */
export class ModelsRecording {
  readonly #arrival: Arrival;
  readonly #revision: string;
  readonly #head: KeptHead;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  private constructor(arrival: Arrival, revision: string, head: KeptHead) {
    this.#arrival = arrival;
    this.#revision = revision;
    this.#head = head;
  }

  /** @returns undefined where the app keeps none, and for what may not be kept */
  static begin(
    arrival: Arrival,
    revision: string,
    reply: { status: number; rawHeaders: RawHeaders },
  ): ModelsRecording | undefined {
    if (arrival.traffic.routed.modelsCache !== true || reply.status !== 200) return undefined;
    if (arrival.request.method !== "GET" || !asksForModels(arrival)) return undefined;
    const head = readKeptHead(reply.rawHeaders, arrival.request.headers);
    return head === undefined ? undefined : new ModelsRecording(arrival, revision, head);
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= mostKeptBytes) this.#pieces.push(piece);
    else this.#pieces.length = 0;
  }

  /** The reply has come to its end. @param now monotonic milliseconds */
  end(now: number): void {
    if (this.#bytes > mostKeptBytes) return;
    const { traffic, key } = this.#arrival;
    const body = Buffer.concat(this.#pieces);
    const reply = { ...this.#head, body, keptAt: now };
    traffic.keptModels.keep(key?.organisation, this.#revision, reply);
  }
}

/** Without a query: what it may mean to the app, nobody here knows. */
function asksForModels({ request, head, path }: Arrival): boolean {
  const isLook = request.method === "GET" || request.method === "HEAD";
  return (
    isLook &&
    path.rest === modelsPath &&
    head.transferCoding === undefined &&
    (head.contentLength ?? 0) === 0
  );
}

type KeptHead = Pick<KeptReply, "headers" | "varied">;

/** What a shared cache may keep: https://www.rfc-editor.org/rfc/rfc9111#section-3 */
function readKeptHead(raw: RawHeaders, request: RequestHeaders): KeptHead | undefined {
  const headers: string[] = [];
  const varied = new Map<string, string | undefined>();
  let isJson = false;
  /** One without any is over when the connection ends, as is one that broke off. */
  let hasEnd = false;
  for (let index = 0; index < raw.length; index += 2) {
    const name = textOf(raw[index]).toLowerCase();
    const value = textOf(raw[index + 1]);
    if (name === "set-cookie") return undefined;
    if (name === "cache-control" && /\b(?:no-store|private)\b/i.test(value)) return undefined;
    if (name === "content-type") isJson = /^application\/json\s*(?:;|$)/i.test(value);
    if (name === "content-length" || name === "transfer-encoding") hasEnd = true;
    if (name === "content-encoding") varied.set("accept-encoding", undefined);
    if (name === "vary") {
      for (const one of value.toLowerCase().split(",")) varied.set(one.trim(), undefined);
    }
    if (isKept(name)) headers.push(textOf(raw[index]), value);
  }
  if (!isJson || !hasEnd || varied.has("*")) return undefined;
  // The caller's own key ends at the gateway.
  varied.delete("authorization");
  for (const name of varied.keys()) varied.set(name, textOfAll(request[name]));
  return { headers, varied };
}

/** The rest is of the one reply alone: its time, its own id, its limits. */
function isKept(name: string): boolean {
  return /^(?:content-(?:type|encoding|language)|vary|access-control-.+)$/.test(name);
}
