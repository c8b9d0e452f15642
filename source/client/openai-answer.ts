// Reads answers in OpenAI's protocol: events, tool calls, statistics, errors.
import { isRecord } from "../base/json-record.ts";
import { ProductError } from "../base/product-error.ts";
import { ServerRefusal } from "./api-client.ts";
import type { AnswerStatistics, ChatEvent, ClientToolCall } from "./chat-events.ts";
import { clientErrors } from "./errors.ts";
import {
  entriesOf,
  fieldsOf,
  numberOf,
  optionalNumber,
  parseJson,
  textOf,
} from "./reply-fields.ts";

/** Least time between the first and last piece for computing a speed. */
const leastSpanMs = 20;

/** Assembles an answer from its chunks; measures times, which the protocol does not report. */
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

  /** Yields the events of a chunk. @throws ServerRefusal for an error within the answer */
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

  /** Yields the tool calls; call it after the last chunk. */
  *calls(): Generator<ChatEvent> {
    const { calls, unreadable } = this.#calls.end();
    for (const call of calls) yield { type: "tool-call", ...call };
    // Some servers have sent such a call as text, too.
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

/** Reads modelctl's own field about omitted messages. */
function truncatedOf({ messages, tokens }: Record<string, unknown>) {
  return { messages: numberOf(messages), tokens: numberOf(tokens) };
}

/** Reads an error in the form of OpenAI or of the gateway. */
export function readRefusal(status: number, path: string, text: string): ServerRefusal {
  const body = parseJson(text);
  const error = isRecord(body) ? (body.error ?? body.detail) : undefined;
  const message = isRecord(error) ? error.message : error;
  const code = isRecord(error) && typeof error.code === "string" ? error.code : undefined;
  const fallback = `The deployment answered ${status} to ${path}.`;
  return new ServerRefusal(status, code, typeof message === "string" ? message : fallback);
}

/** Assembles tool calls, whose arguments arrive as pieces of JSON text. */
class ToolCallPieces {
  readonly #calls = new Map<number, { name: string; text: string }>();

  take(piece: Record<string, unknown>): void {
    const index = numberOf(piece.index);
    const { name, arguments: text } = fieldsOf(piece.function);
    const call = this.#calls.get(index) ?? { name: "", text: "" };
    this.#calls.set(index, { name: call.name + textOf(name), text: call.text + textOf(text) });
  }

  /** @returns the calls, and the text of those whose arguments are not an object */
  end(): { calls: ClientToolCall["function"][]; unreadable: string } {
    const calls: ClientToolCall["function"][] = [];
    const unreadable: string[] = [];
    for (const { name, text } of this.#calls.values()) {
      const values = argumentsOf(text);
      if (values === undefined) unreadable.push(`${name} ${text}`);
      else calls.push({ name, arguments: values });
    }
    return { calls, unreadable: unreadable.join("\n") };
  }
}

/** Reads the arguments of a call, which has no text if there are none. */
function argumentsOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  const value = parseJson(text);
  // Invalid, or cut off by the length limit: shown as text.
  return isRecord(value) ? value : undefined;
}
