// An HTTP exchange whose body is read chunk by chunk from the socket, without a stream in between.
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { withoutWarnings } from "../../base/without-warnings.ts";

/** Takes a chunk; the connection pauses until a returned promise settles. */
export type ChunkTaker = (chunk: Buffer) => Promise<void> | undefined;

export interface HttpReply {
  status: number;
  headers: IncomingHttpHeaders;
  url: string;
  /**
   * Reads the body to its end. Rejects when the connection breaks or `take` rejects. Call only
   * once.
   */
  read(take: ChunkTaker): Promise<void>;
  /** Drops the connection without reading the rest. */
  abandon(): void;
}

export interface HttpQuestion {
  method: "GET" | "HEAD";
  url: string;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Longest pause before the head and within the body. */
  stallTimeoutMs: number;
}

/** Multiple of the stall timeout in which a request must get under way. */
const connectPatience = 2;

/**
 * Resolves with the reply's head, its body unread. Rejects with undici's error or the signal's
 * reason.
 */
export function exchange(dispatcher: Dispatcher, question: HttpQuestion): Promise<HttpReply> {
  const { method, url, headers, signal, stallTimeoutMs } = question;
  // Throws for an invalid URL before anything is started.
  const { origin, pathname, search } = new URL(url);
  const head = Promise.withResolvers<HttpReply>();
  const body = Promise.withResolvers<void>();
  // Ignores errors in an unread body.
  body.promise.catch(() => {});
  let controller: Dispatcher.DispatchController | undefined;
  let take: ChunkTaker | undefined;
  const early: Buffer[] = [];

  let isOver = false;
  const stop = (reason: unknown) => {
    isOver = true;
    clearTimeout(patience);
    signal.removeEventListener("abort", onAbort);
    head.reject(reason);
    body.reject(reason);
    const error = reason instanceof Error ? reason : new Error(String(reason));
    if (controller !== undefined && !controller.aborted) controller.abort(error);
  };
  const onAbort = () => stop(signal.reason);
  // undici's own limit for connecting does not cover the work of a proxy.
  const patience = setTimeout(
    () => stop(Object.assign(new Error("no connection"), { code: "UND_ERR_CONNECT_TIMEOUT" })),
    connectPatience * stallTimeoutMs,
  );
  if (signal.aborted) {
    stop(signal.reason);
    return head.promise;
  }
  signal.addEventListener("abort", onAbort, { once: true });

  const handOver = () =>
    dispatcher.dispatch(
      {
        origin,
        path: pathname + search,
        method,
        headers,
        headersTimeout: stallTimeoutMs,
        bodyTimeout: stallTimeoutMs,
      },
      {
        onRequestStart(started) {
          clearTimeout(patience);
          controller = started;
          if (isOver) started.abort(new Error("stopped before it began"));
        },
        onResponseStart(started, status, received) {
          if (status < 200) return;
          head.resolve({
            status,
            headers: received,
            url,
            async read(taker) {
              for (const chunk of early) await taker(chunk);
              take = taker;
              if (started.paused) started.resume();
              await body.promise;
            },
            abandon: () => stop(new Error("the rest of the reply was not wanted")),
          });
        },
        onResponseData(started, chunk) {
          if (take === undefined) {
            // Behind a proxy, undici loses a pause before the first chunk.
            early.push(chunk);
            started.pause();
            return;
          }
          const pending = take(chunk);
          if (pending === undefined) return;
          started.pause();
          pending.then(() => started.resume(), stop);
        },
        onResponseEnd() {
          signal.removeEventListener("abort", onAbort);
          // undici reuses the connection only after the next turn of the event loop; an earlier
          // request would open a new one.
          setImmediate(() => setImmediate(body.resolve));
        },
        onResponseError(_started, error) {
          stop(error);
        },
      },
    );
  // undici warns that SOCKS proxies are experimental.
  withoutWarnings(handOver);
  return head.promise;
}
