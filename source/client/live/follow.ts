// Follows a stream of the server across disconnects, until it is stopped.

import { setTimeout as wait } from "node:timers/promises";
import { describeError } from "../../base/product-error.ts";

/** The state of the connection; `down` has the reason, and what else its reader found out. */
export type LinkState<Facts = { readonly sinceMs: number }> =
  | { readonly kind: "connecting" }
  | { readonly kind: "up" }
  | ({ readonly kind: "down"; readonly sentence: string } & Facts);

export interface Following<T> {
  /** Opens the stream again. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  readonly onItem: (item: T) => void;
  readonly onState?: (state: LinkState) => void;
}

/** Time between attempts; short, to find a starting server soon. */
const retryMs = 500;

/** @returns a function that stops it */
export function follow<T>(following: Following<T>): () => void {
  const controller = new AbortController();
  void run(following, controller.signal);
  return () => controller.abort();
}

async function run<T>(following: Following<T>, signal: AbortSignal): Promise<void> {
  let downSinceMs: number | undefined;
  while (!signal.aborted) {
    let sentence = "The server closed the connection";
    try {
      let isOpen = false;
      for await (const item of following.open(signal)) {
        if (signal.aborted) return;
        if (!isOpen) {
          isOpen = true;
          downSinceMs = undefined;
          following.onState?.({ kind: "up" });
        }
        following.onItem(item);
      }
    } catch (error) {
      sentence = describeError(error);
    }
    if (signal.aborted) return;
    downSinceMs ??= Date.now();
    following.onState?.({ kind: "down", sentence, sinceMs: downSinceMs });
    // An abort stops the wait early; the loop's condition then ends the loop.
    await wait(retryMs, undefined, { signal }).catch(() => {});
  }
}
