// What the gateway itself may add to a stream of server-sent events, and where.
import type { Refusal } from "./refusals.ts";

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
const eventEnd = /(?:\n\n|\r\r|\r\n\r\n)$/;

/** A line that readers skip. */
export const keepAliveComment = ": keep-alive\n\n";

/** Follows a stream, to know whether an event has just ended. */
export class EventBoundary {
  #last = "";

  note(piece: Buffer): void {
    const end = piece.toString("latin1", Math.max(0, piece.length - 4));
    this.#last = piece.length >= 4 ? end : (this.#last + end).slice(-4);
  }

  /** Also before the first byte. */
  get isHere(): boolean {
    return this.#last === "" || eventEnd.test(this.#last);
  }
}

/**
 * The last event of a stream that cannot go on, as OpenAI's clients read it.
 *
 * @param status what the reply would have had, where its head came too early to say so
 */
export function errorEvent(
  { type, detail }: Refusal,
  isAtBoundary: boolean,
  status?: number,
): string {
  const error = { message: detail, type, code: type, param: null, status };
  return `${isAtBoundary ? "" : "\n\n"}data: ${JSON.stringify({ error })}\n\n`;
}
