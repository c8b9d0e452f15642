// A choice of a chat completion: as a whole message, or as the deltas of a stream.
import type { FinishReason, TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalEvent, Truncation } from "../../../engine/request.ts";
import { TokenMeter } from "./reply-fields.ts";

interface Call {
  id: string;
  name: string;
  arguments: string;
  /** An unfinished call does not count: its text becomes content. */
  isWhole: boolean;
}

/** A choice sent as a whole. Takes its events up to `done`. */
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
function reasoningFields(text: string) {
  return { reasoning: text, reasoning_content: text };
}

function chatFinishReason(reason: FinishReason, hasCalls: boolean): string {
  return hasCalls && reason === "stop" ? "tool_calls" : reason;
}

interface DeltaChoice {
  index: number;
  delta: Record<string, unknown>;
  logprobs: ReturnType<typeof chatLogprobs>;
  finish_reason: string | null;
}

/** Content of one chunk of the stream. */
interface ChatChunk {
  choices: [DeltaChoice];
  /** Ours: parts dropped from the conversation. */
  truncated?: Truncation;
}

/** A streamed choice. Takes its events up to `done`. */
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

function chatLogprobs(logprobs: readonly TokenLogprob[] | undefined) {
  if (logprobs === undefined) return null;
  return {
    content: logprobs.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes,
      top_logprobs: top,
    })),
    refusal: null,
  };
}
