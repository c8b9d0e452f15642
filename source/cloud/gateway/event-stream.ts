// What the gateway itself may add to a stream of server-sent events, and where.
import type { Refusal } from "./refusals.ts";

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
const eventEnd = /(?:\n\n|\r\r|\r\n\r\n)$/;

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

export interface ErrorEventForm {
  isAtBoundary: boolean;
  /** Anthropic's clients skip events without a name. */
  isNamed: boolean;
  /** What the reply would have had, where its head came too early to say so. */
  status?: number | undefined;
}

/** The last event of a stream that cannot go on, as OpenAI's clients read it, or Anthropic's. */
export function errorEvent(
  { type, detail }: Refusal,
  { isAtBoundary, isNamed, status }: ErrorEventForm,
): string {
  const error = { message: detail, type, code: type, param: null, status };
  const [name, data] = isNamed ? ["event: error\n", { type: "error", error }] : ["", { error }];
  return `${isAtBoundary ? "" : "\n\n"}${name}data: ${JSON.stringify(data)}\n\n`;
}
