// A chat with any server that speaks OpenAI's protocol: its models, and answers as they come.
import type { IncomingMessage } from "node:http";
import { ProductError } from "../base/product-error.ts";
import { ServerRefusal } from "./api-client.ts";
import type { AnswerStatistics, ChatEvent, ClientMessage } from "./chat-events.ts";
import { clientErrors } from "./errors.ts";
import { readLines, readText, sendRequest } from "./http-request.ts";

export interface EndpointConnection {
  /** What stands before `/v1`, without a slash at its end. */
  url: string;
  /** The whole value of the header, such as `Key dk_…`; undefined sends none. */
  authorization?: string | undefined;
  /** To trust besides the system's, as PEM. */
  certificateAuthority?: string | undefined;
}

export interface EndpointChat {
  model: string;
  messages: readonly ClientMessage[];
  /** By the names of a Modelfile; those that OpenAI names otherwise are renamed. */
  parameters: Readonly<Record<string, unknown>>;
  think?: boolean | string | undefined;
  /** `json`, or a JSON schema. */
  format?: unknown;
  signal: AbortSignal;
}

/** Between the first and the last piece of an answer whose speed can be told. */
const leastSpanMs = 20;

const renamed: Readonly<Record<string, string>> = { num_predict: "max_tokens" };

export class OpenAiEndpoint {
  readonly #connection: EndpointConnection;

  constructor(connection: EndpointConnection) {
    this.#connection = connection;
  }

  /** @throws as `chat` */
  async models(signal?: AbortSignal): Promise<string[]> {
    const reply = await this.#send("GET", "/v1/models", undefined, signal);
    const body = parseJson(await readText(reply));
    const list = isObject(body) && Array.isArray(body.data) ? body.data : undefined;
    if (list === undefined) throw this.#unreadable("/v1/models");
    return list.filter(isObject).flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  }

  /**
   * One answer in a conversation.
   *
   * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
   */
  async *chat({ signal, ...request }: EndpointChat): AsyncGenerator<ChatEvent> {
    const startedAt = performance.now();
    const path = "/v1/chat/completions";
    const reply = await this.#send("POST", path, bodyOf(request), signal);
    const reader = new AnswerReader(startedAt);
    for await (const line of readLines(reply, this.#connection.url, signal)) {
      if (!line.startsWith("data:")) continue;
      const data = line.slice("data:".length).trim();
      if (data === "[DONE]") break;
      const chunk = parseJson(data);
      if (!isObject(chunk)) throw this.#unreadable(path);
      yield* reader.take(chunk);
    }
    if (signal.aborted) return;
    yield { type: "done", statistics: reader.statistics(this.#connection.url) };
  }

  async #send(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    const { url, authorization, certificateAuthority } = this.#connection;
    const reply = await sendRequest({
      method,
      url: url + path,
      headers: { ...(authorization !== undefined && { authorization }) },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
      ...(certificateAuthority !== undefined && { certificateAuthority }),
    }).catch((error: unknown) => {
      const isUnreachable =
        error instanceof ProductError && error.code === clientErrors.unreachable.code;
      throw isUnreachable ? error.reworded({ hint: "Check that its server runs." }) : error;
    });
    const { statusCode = 0 } = reply;
    if (statusCode >= 200 && statusCode < 300) return reply;
    throw refusalOf(statusCode, path, await readText(reply));
  }

  #unreadable(path: string): ProductError {
    return new ProductError(clientErrors.replyUnreadable, {
      message: `What answers at ${this.#connection.url}${path} does not speak OpenAI's protocol.`,
      hint: "Only a deployment that does can be chatted with.",
    });
  }
}

/** Puts an answer together from its pieces, and measures it where the server tells no times. */
class AnswerReader {
  readonly #startedAt: number;
  #firstAt: number | undefined;
  #lastAt = 0;
  #pieces = 0;
  #finishReason: string | undefined;
  #usage: Record<string, unknown> = {};

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** @throws ServerRefusal for an error in the middle of an answer */
  *take(chunk: Record<string, unknown>): Generator<ChatEvent> {
    if (isObject(chunk.error)) throw refusalOf(200, "", JSON.stringify(chunk));
    if (isObject(chunk.usage)) this.#usage = chunk.usage;
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!isObject(choice)) return;
    if (typeof choice.finish_reason === "string") this.#finishReason = choice.finish_reason;
    const delta = isObject(choice.delta) ? choice.delta : {};
    const { content, reasoning_content: thought = delta.reasoning } = delta;
    const texts = [
      { type: "thinking", text: thought },
      { type: "text", text: content },
    ] as const;
    for (const { type, text } of texts) {
      if (typeof text !== "string" || text === "") continue;
      this.#lastAt = performance.now();
      this.#firstAt ??= this.#lastAt;
      this.#pieces += 1;
      yield { type, text };
    }
  }

  /** @throws ProductError `CLIENT_SERVER_VANISHED` for an answer without an end */
  statistics(url: string): AnswerStatistics {
    if (this.#finishReason === undefined) {
      throw new ProductError(clientErrors.vanished, {
        message: `The answer of ${url} ended in its middle.`,
        hint: "Ask again; the deployment's log may say why.",
      });
    }
    const now = performance.now();
    const firstAt = this.#firstAt ?? now;
    const details = this.#usage.prompt_tokens_details;
    return {
      finishReason: this.#finishReason === "length" ? "length" : "stop",
      promptTokens: countOf(this.#usage.prompt_tokens) ?? 0,
      cachedTokens: (isObject(details) ? countOf(details.cached_tokens) : undefined) ?? 0,
      completionTokens: countOf(this.#usage.completion_tokens) ?? this.#pieces,
      loadMs: 0,
      promptMs: firstAt - this.#startedAt,
      // What came in one piece tells nothing of how fast it was made.
      completionMs: this.#lastAt - firstAt < leastSpanMs ? 0 : this.#lastAt - firstAt,
      totalMs: now - this.#startedAt,
    };
  }
}

function bodyOf(request: Omit<EndpointChat, "signal">): Record<string, unknown> {
  const { model, messages, parameters, think, format } = request;
  const named = Object.entries(parameters).map(([name, value]) => [renamed[name] ?? name, value]);
  const effort = think === false ? "none" : typeof think === "string" ? think : undefined;
  return {
    ...Object.fromEntries(named),
    model,
    messages: messages.map(messageOf),
    stream: true,
    stream_options: { include_usage: true },
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(format !== undefined && { response_format: responseFormat(format) }),
  };
}

function messageOf({ role, content, images = [] }: ClientMessage): Record<string, unknown> {
  if (images.length === 0) return { role, content };
  const parts = images.map((base64) => ({
    type: "image_url",
    image_url: { url: `data:${imageType(base64)};base64,${base64}` },
  }));
  return { role, content: [...parts, { type: "text", text: content }] };
}

/** The first bytes of each format, as base64. */
function imageType(base64: string): string {
  if (base64.startsWith("/9j/")) return "image/jpeg";
  if (base64.startsWith("R0lGOD")) return "image/gif";
  if (base64.startsWith("UklGR")) return "image/webp";
  return "image/png";
}

function responseFormat(format: unknown): Record<string, unknown> {
  if (!isObject(format)) return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "answer", schema: format, strict: true } };
}

/** Reads OpenAI's form of an error, and that of the gateway. */
function refusalOf(status: number, path: string, text: string): ServerRefusal {
  const body = parseJson(text);
  const error = isObject(body) ? (body.error ?? body.detail) : undefined;
  const message = isObject(error) ? error.message : error;
  const code = isObject(error) && typeof error.code === "string" ? error.code : undefined;
  const fallback = `The deployment answers ${status} to ${path}.`;
  return new ServerRefusal(status, code, typeof message === "string" ? message : fallback);
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON: whoever wants an object finds none
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
