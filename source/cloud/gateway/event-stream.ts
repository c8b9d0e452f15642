// Additions of the gateway to a stream of server-sent events, and where they may go.
import type { Refusal } from "./refusals.ts";

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
const eventEnd = /(?:\n\n|\r\r|\r\n\r\n)$/;

/** Tracks a stream to know if an event has just ended. */
export class EventBoundary {
  #last = "";

  note(piece: Buffer): void {
    const end = piece.toString("latin1", Math.max(0, piece.length - 4));
    this.#last = piece.length >= 4 ? end : (this.#last + end).slice(-4);
  }

  /** Also true before the first byte. */
  get isHere(): boolean {
    return this.#last === "" || eventEnd.test(this.#last);
  }
}

export interface ErrorEventForm {
  isAtBoundary: boolean;
  /** Set for Anthropic's clients, which skip events without a name. */
  isNamed: boolean;
  /** Status of the reply, if its head was sent too early to carry it. */
  status?: number | undefined;
}

/** Final event of a failed stream, in OpenAI's or Anthropic's format. */
export function errorEvent(
  { type, detail }: Refusal,
  { isAtBoundary, isNamed, status }: ErrorEventForm,
): string {
  const error = { message: detail, type, code: type, param: null, status };
  const [name, data] = isNamed ? ["event: error\n", { type: "error", error }] : ["", { error }];
  return `${isAtBoundary ? "" : "\n\n"}${name}data: ${JSON.stringify(data)}\n\n`;
}
