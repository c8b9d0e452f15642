// A choice of a chat completion sent as a whole.
import type { FinishReason, TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalEvent, Truncation } from "../../../engine/request.ts";
import { chatLogprobs } from "./chat-logprobs.ts";
import { TokenMeter } from "./usage.ts";

interface Call {
  id: string;
  name: string;
  arguments: string;
  /** An unfinished call does not count: its text becomes content. */
  isWhole: boolean;
}

/** Takes the choice's events up to `done`. */
export class ChatChoice {
  readonly meter = new TokenMeter();
  readonly #index: number;
  readonly #wantsLogprobs: boolean;
  #text = "";
  #thinking = "";
  readonly #calls = new Map<number, Call>();
  /** Log-probabilities of everything generated, including thinking and calls. */
  readonly #logprobs: TokenLogprob[] = [];
  #reason: FinishReason = "stop";
  #truncated: Truncation | undefined;

  constructor(index: number, wantsLogprobs: boolean) {
    this.#index = index;
    this.#wantsLogprobs = wantsLogprobs;
  }

  /** Parts dropped from the conversation, if any. */
  get truncated(): Truncation | undefined {
    return this.#truncated;
  }

  take(event: CanonicalEvent): void {
    this.meter.take(event);
    switch (event.type) {
      case "text":
        this.#text += event.text;
        this.#logprobs.push(...(event.logprobs ?? []));
        break;
      case "thinking":
        this.#thinking += event.text;
        this.#logprobs.push(...(event.logprobs ?? []));
        break;
      case "tool-call":
        this.#calls.set(event.index, {
          id: event.id,
          name: event.name,
          arguments: "",
          isWhole: false,
        });
        break;
      case "tool-arguments": {
        const call = this.#calls.get(event.index);
        if (call !== undefined) call.arguments += event.text;
        break;
      }
      case "tool-call-end": {
        const call = this.#calls.get(event.index);
        if (call !== undefined) call.isWhole = true;
        break;
      }
      case "done":
        this.#reason = event.reason;
        this.#truncated = event.truncated;
    }
  }

  toJson() {
    const calls = [...this.#calls.values()].filter(({ isWhole }) => isWhole);
    return {
      index: this.#index,
      message: {
        role: "assistant",
        content: this.#text === "" && calls.length > 0 ? null : this.#text,
        refusal: null,
        ...(this.#thinking !== "" && reasoningFields(this.#thinking)),
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, arguments: text }) => ({
            id,
            type: "function",
            function: { name, arguments: text },
          })),
        }),
      },
      logprobs: chatLogprobs(this.#wantsLogprobs ? this.#logprobs : undefined),
      finish_reason: chatFinishReason(this.#reason, calls.length > 0),
    };
  }
}

/** Servers and clients disagree on the field's name. */
export function reasoningFields(text: string) {
  return { reasoning: text, reasoning_content: text };
}

export function chatFinishReason(reason: FinishReason, hasCalls: boolean): string {
  return hasCalls && reason === "stop" ? "tool_calls" : reason;
}
