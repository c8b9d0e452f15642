// A choice of a streamed chat completion: its events as deltas.
import type { CanonicalEvent, Truncation } from "../../../engine/request.ts";
import { chatFinishReason, reasoningFields } from "./chat-choice.ts";
import { chatLogprobs } from "./chat-logprobs.ts";
import { TokenMeter } from "./usage.ts";

interface DeltaChoice {
  index: number;
  delta: Record<string, unknown>;
  logprobs: ReturnType<typeof chatLogprobs>;
  finish_reason: string | null;
}

/** Content of one chunk of the stream. */
export interface ChatChunk {
  choices: [DeltaChoice];
  /** Ours: parts dropped from the conversation. */
  truncated?: Truncation;
}

/** Takes the choice's events up to `done`. */
export class ChatDeltas {
  readonly meter = new TokenMeter();
  readonly #index: number;
  #hasBegun = false;
  #hasCalls = false;

  constructor(index: number) {
    this.#index = index;
  }

  /** @returns nothing for events that clients do not get */
  take(event: CanonicalEvent): ChatChunk[] {
    this.meter.take(event);
    switch (event.type) {
      case "text":
        return [this.#chunk(event.text === "" ? {} : { content: event.text }, event)];
      case "thinking":
        return [this.#chunk(reasoningFields(event.text), event)];
      case "tool-call": {
        const { index, id, name } = event;
        return [
          this.#chunk({
            // Sent first, so that clients do not take the answer for empty text.
            ...(!this.#hasBegun && { content: null }),
            tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
          }),
        ];
      }
      case "tool-arguments": {
        const { index, text } = event;
        return [this.#chunk({ tool_calls: [{ index, function: { arguments: text } }] })];
      }
      case "tool-call-end":
        // An unfinished call does not count: its text becomes content, though its pieces were sent.
        this.#hasCalls = true;
        return [];
      case "done": {
        const reason = chatFinishReason(event.reason, this.#hasCalls);
        const last = {
          choices: [this.#choice({}, reason)] satisfies [DeltaChoice],
          ...(event.truncated !== undefined && { truncated: event.truncated }),
        };
        // An empty answer still begins with its role.
        return this.#hasBegun ? [last] : [this.#chunk({}), last];
      }
      default:
        return [];
    }
  }

  #chunk(
    delta: Record<string, unknown>,
    { logprobs }: Pick<Extract<CanonicalEvent, { type: "text" }>, "logprobs"> = {},
  ): ChatChunk {
    const begin = this.#hasBegun ? {} : { role: "assistant", content: "" };
    this.#hasBegun = true;
    return { choices: [this.#choice({ ...begin, ...delta }, null, chatLogprobs(logprobs))] };
  }

  #choice(
    delta: Record<string, unknown>,
    finishReason: string | null,
    logprobs: DeltaChoice["logprobs"] = null,
  ): DeltaChoice {
    return { index: this.#index, delta, logprobs, finish_reason: finishReason };
  }
}
