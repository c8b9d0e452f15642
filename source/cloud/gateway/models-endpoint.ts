// `GET /v1/models` of a sleeping app, answered from a cached reply of one of its replicas.
import type { AdmittedRequest, ExchangeContext } from "./admitted-request.ts";
import type { RawHeaders } from "./attempt.ts";
import { openRecord } from "./exchange-record.ts";
import {
  type CachedReply,
  maxCachedBytes,
  type RequestHeaders,
  textOfAll,
} from "./models-cache.ts";
import { textOf } from "./reply-head.ts";

const modelsPath = "/v1/models";

/**
 * Answers from the cache. A caller with `X-Dctl-Cold-Start: wait` bypasses it.
 *
 * @returns false if the request must go to a replica
 */
export function answerFromCache(
  admitted: AdmittedRequest,
  { clock, observe }: ExchangeContext,
): boolean {
  const { request, response, head, traffic, key } = admitted;
  const { routed, isOpen, cachedModels } = traffic;
  if (routed.modelsCache !== true || isOpen || !asksForModels(admitted)) return false;
  if (head.coldStart === "wait") return false;
  const cached = cachedModels.find(key?.organisation, request.headers);
  if (cached === undefined) return false;
  const headers = [...cached.headers, "Content-Length", String(cached.body.length)];
  headers.push("Age", String(Math.floor((clock.now() - cached.cachedAt) / 1000)));
  headers.push("X-Dctl-Request-Id", admitted.id, "X-Dctl-Revision", routed.revision ?? "");
  headers.push("X-Dctl-Cold-Start", "1", "X-Dctl-Cache", "cold");
  const firstByteMs = clock.now() - admitted.arrivedAt;
  response.once("close", () => {
    const hasLeft = !response.writableFinished;
    observe(
      {
        ...openRecord(admitted, clock),
        revision: routed.revision,
        status: hasLeft ? 499 : 200,
        errorType: hasLeft ? "client_disconnected" : undefined,
        firstByteMs,
        sentBytes: request.method === "HEAD" ? 0 : cached.body.length,
      },
      admitted,
    );
  });
  response.writeHead(200, "OK", headers);
  response.end(cached.body);
  return true;
}

/** Records a list of models for the cache while it is passed on. */
export class ModelsRecording {
  readonly #admitted: AdmittedRequest;
  readonly #revision: string;
  readonly #head: CachedHead;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  private constructor(admitted: AdmittedRequest, revision: string, head: CachedHead) {
    this.#admitted = admitted;
    this.#revision = revision;
    this.#head = head;
  }

  /** @returns undefined if the app has no cache, or the reply must not be cached */
  static begin(
    admitted: AdmittedRequest,
    revision: string,
    reply: { status: number; rawHeaders: RawHeaders },
  ): ModelsRecording | undefined {
    if (admitted.traffic.routed.modelsCache !== true || reply.status !== 200) return undefined;
    if (admitted.request.method !== "GET" || !asksForModels(admitted)) return undefined;
    const head = readCachedHead(reply.rawHeaders, admitted.request.headers);
    return head === undefined ? undefined : new ModelsRecording(admitted, revision, head);
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= maxCachedBytes) this.#pieces.push(piece);
    else this.#pieces.length = 0;
  }

  /** Caches the complete reply. @param now monotonic milliseconds */
  end(now: number): void {
    if (this.#bytes > maxCachedBytes) return;
    const { traffic, key } = this.#admitted;
    const body = Buffer.concat(this.#pieces);
    const reply = { ...this.#head, body, cachedAt: now };
    traffic.cachedModels.keep(key?.organisation, this.#revision, reply);
  }
}

/** Requests with a query are not cached, since its meaning is up to the app. */
function asksForModels({ request, head, path }: AdmittedRequest): boolean {
  const isLook = request.method === "GET" || request.method === "HEAD";
  return (
    isLook &&
    path.rest === modelsPath &&
    head.transferCoding === undefined &&
    (head.contentLength ?? 0) === 0
  );
}

type CachedHead = Pick<CachedReply, "headers" | "varied">;

/** Follows the rules for shared caches: https://www.rfc-editor.org/rfc/rfc9111#section-3 */
function readCachedHead(raw: RawHeaders, request: RequestHeaders): CachedHead | undefined {
  const headers: string[] = [];
  const varied = new Map<string, string | undefined>();
  let isJson = false;
  /** Without a length a truncated reply looks like a complete one. */
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
    if (isCached(name)) headers.push(textOf(raw[index]), value);
  }
  if (!isJson || !hasEnd || varied.has("*")) return undefined;
  // The gateway does not pass on the caller's key.
  varied.delete("authorization");
  for (const name of varied.keys()) varied.set(name, textOfAll(request[name]));
  return { headers, varied };
}

/** Other headers belong to one reply only, such as its date, id and limits. */
function isCached(name: string): boolean {
  return /^(?:content-(?:type|encoding|language)|vary|access-control-.+)$/.test(name);
}
