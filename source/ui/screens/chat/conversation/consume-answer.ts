// Reads one answer to its end, whichever of the possible ends that is.

import { describeError } from "../../../../base/product-error.ts";
import type { AnswerStatistics, ChatEvent } from "../../../../client/chat-events.ts";

export type AnswerEnd =
  | { readonly kind: "done"; readonly statistics: AnswerStatistics }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly sentence: string };

/**
 * Hands every event to `onEvent` and tells how the answer ended. An abort ends it at once, even
 * when the stream itself takes its time or never reacts.
 */
export async function consumeAnswer(
  openStream: () => AsyncIterable<ChatEvent>,
  signal: AbortSignal,
  onEvent: (event: ChatEvent) => void,
): Promise<AnswerEnd> {
  const aborted = whenAborted(signal);
  let iterator: AsyncIterator<ChatEvent> | undefined;
  try {
    iterator = openStream()[Symbol.asyncIterator]();
    while (!signal.aborted) {
      const next = iterator.next();
      // The loser of the race may still fail later, when nobody waits for it any more.
      next.catch(() => {});
      const result = await Promise.race([next, aborted]);
      if (result === "aborted") break;
      if (result.done) return { kind: "failed", sentence: "The answer broke off before its end." };
      onEvent(result.value);
      if (result.value.type === "done") {
        return { kind: "done", statistics: result.value.statistics };
      }
    }
    return { kind: "stopped" };
  } catch (error) {
    return signal.aborted
      ? { kind: "stopped" }
      : { kind: "failed", sentence: describeError(error) };
  } finally {
    // Frees the connection; a stream that ended by itself takes this as a no-op.
    iterator?.return?.()?.catch(() => {});
  }
}

function whenAborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}
