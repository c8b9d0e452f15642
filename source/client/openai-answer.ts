// Reads answers in OpenAI's protocol: events, tool calls, statistics, errors.
import { isRecord, parseJson } from "../base/json.ts";
import { ProductError } from "../base/product-error.ts";
import { ServerRefusal } from "./api-client.ts";
import { type AnswerStatistics, type ChatEvent, truncatedPart } from "./chat-events.ts";
import { clientErrors } from "./errors.ts";
import {
  entriesOf,
  type Fields,
  fieldsOf,
  numberOf,
  optionalNumber,
  optionalText,
  textOf,
} from "./reply-fields.ts";

/** Least time between the first and last piece for computing a speed. */
const leastSpanMs = 20;

/** Assembles an answer from its chunks; measures times, which the protocol does not report. */
export class OpenAiAnswer {
  readonly #startedAt: number;
  /** Tool calls by index; their arguments arrive as pieces of JSON text. */
  readonly #calls = new Map<number, { name: string; text: string }>();
  #firstAt: number | undefined;
  #lastAt = 0;
  #pieces = 0;
  #hasText = false;
  #finishReason: string | undefined;
  #usage: Fields = {};
  #truncated: Pick<AnswerStatistics, "truncated"> = {};

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Yields the events of a chunk. @throws ServerRefusal for an error within the answer */
  *take(chunk: Fields): Generator<ChatEvent> {
    if (isRecord(chunk.error)) throw readRefusal(200, "", JSON.stringify(chunk));
    if (isRecord(chunk.usage)) this.#usage = chunk.usage;
    this.#truncated = { ...this.#truncated, ...truncatedPart(chunk) };
    const [choice] = entriesOf(chunk.choices);
    if (choice === undefined) return;
    if (typeof choice.finish_reason === "string") this.#finishReason = choice.finish_reason;
    const delta = fieldsOf(choice.delta);
    const { content, reasoning_content: thought = delta.reasoning } = delta;
    const texts = [
      { type: "thinking", text: textOf(thought) },
      { type: "text", text: textOf(content) },
    ] as const;
    for (const { type, text } of texts) {
      if (text === "") continue;
      this.#count();
      this.#hasText ||= type === "text";
      yield { type, text };
    }
    for (const piece of entriesOf(delta.tool_calls)) {
      this.#count();
      const index = numberOf(piece.index);
      const { name, arguments: text } = fieldsOf(piece.function);
      const call = this.#calls.get(index) ?? { name: "", text: "" };
      this.#calls.set(index, { name: call.name + textOf(name), text: call.text + textOf(text) });
    }
  }

  /** Yields the tool calls; call it after the last chunk. */
  *calls(): Generator<ChatEvent> {
    const unreadable: string[] = [];
    for (const { name, text } of this.#calls.values()) {
      const values = text.trim() === "" ? {} : parseJson(text);
      if (isRecord(values)) yield { type: "tool-call", name, arguments: values };
      // Invalid, or cut off by the length limit.
      else unreadable.push(`${name} ${text}`);
    }
    // Some servers have sent such a call as text, too.
    if (unreadable.length > 0 && !this.#hasText)
      yield { type: "text", text: unreadable.join("\n") };
  }

  /** @throws ProductError `CLIENT_SERVER_VANISHED` for an answer without an end */
  statistics(url: string): AnswerStatistics {
    if (this.#finishReason === undefined) {
      throw new ProductError(clientErrors.vanished, {
        message: `The answer from ${url} ended early.`,
        hint: "Try again; the deployment's log may say why.",
      });
    }
    const now = performance.now();
    const firstAt = this.#firstAt ?? now;
    const usage = this.#usage;
    return {
      finishReason: this.#finishReason === "length" ? "length" : "stop",
      promptTokens: numberOf(usage.prompt_tokens),
      cachedTokens: numberOf(fieldsOf(usage.prompt_tokens_details).cached_tokens),
      completionTokens: optionalNumber(usage.completion_tokens) ?? this.#pieces,
      loadMs: 0,
      promptMs: firstAt - this.#startedAt,
      // An answer that arrives in one piece says nothing about its speed.
      completionMs: this.#lastAt - firstAt < leastSpanMs ? 0 : this.#lastAt - firstAt,
      totalMs: now - this.#startedAt,
      ...this.#truncated,
    };
  }

  #count(): void {
    this.#lastAt = performance.now();
    this.#firstAt ??= this.#lastAt;
    this.#pieces += 1;
  }
}

/** Reads an error in the form of OpenAI or of the gateway. */
export function readRefusal(status: number, path: string, text: string): ServerRefusal {
  const body = fieldsOf(parseJson(text));
  const error = body.error ?? body.detail;
  const { code, message } = isRecord(error) ? error : { code: undefined, message: error };
  const fallback = `The deployment answered ${status} to ${path}.`;
  return new ServerRefusal(status, optionalText(code), optionalText(message) ?? fallback);
}
