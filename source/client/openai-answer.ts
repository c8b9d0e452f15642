// Assembles an answer of OpenAI's protocol from its chunks, and measures it when the server reports
// no times.
import { isRecord } from "../base/json-record.ts";
import { ProductError } from "../base/product-error.ts";
import type { AnswerStatistics, ChatEvent } from "./chat-events.ts";
import { clientErrors } from "./errors.ts";
import { readRefusal } from "./openai-refusal.ts";
import { ToolCallPieces } from "./openai-tool-calls.ts";
import { entriesOf, fieldsOf, numberOf, optionalNumber, textOf } from "./reply-fields.ts";

/** Between the first and the last piece of an answer whose speed can be told. */
const leastSpanMs = 20;

export class OpenAiAnswer {
  readonly #startedAt: number;
  readonly #calls = new ToolCallPieces();
  #firstAt: number | undefined;
  #lastAt = 0;
  #pieces = 0;
  #hasText = false;
  #finishReason: string | undefined;
  #usage: Record<string, unknown> = {};
  #truncated: AnswerStatistics["truncated"];

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** @throws ServerRefusal for an error in the middle of an answer */
  *take(chunk: Record<string, unknown>): Generator<ChatEvent> {
    if (isRecord(chunk.error)) throw readRefusal(200, "", JSON.stringify(chunk));
    if (isRecord(chunk.usage)) this.#usage = chunk.usage;
    if (isRecord(chunk.truncated)) this.#truncated = truncatedOf(chunk.truncated);
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
      this.#calls.take(piece);
    }
  }

  /** Calls of tools, once every piece of them has come. */
  *calls(): Generator<ChatEvent> {
    const { calls, unreadable } = this.#calls.end();
    for (const call of calls) yield { type: "tool-call", ...call };
    // A server that recognises it as text has sent it as text too.
    if (unreadable !== "" && !this.#hasText) yield { type: "text", text: unreadable };
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
      ...(this.#truncated !== undefined && { truncated: this.#truncated }),
    };
  }

  #count(): void {
    this.#lastAt = performance.now();
    this.#firstAt ??= this.#lastAt;
    this.#pieces += 1;
  }
}

/** modelctl's own field: what of the conversation did not fit. */
function truncatedOf({ messages, tokens }: Record<string, unknown>) {
  return { messages: numberOf(messages), tokens: numberOf(tokens) };
}
