// Client of a server with OpenAI's API: its models and answers.

import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { isRecord, parseJson } from "../base/json.ts";
import { ProductError } from "../base/product-error.ts";
import type { ChatEvent, ClientMessage, ClientToolCall } from "./chat-events.ts";
import { clientErrors } from "./errors.ts";
import { readEvents, sendRequest } from "./http-request.ts";
import { OpenAiAnswer, readRefusal } from "./openai-answer.ts";
import { entriesOf, type Fields, fieldsOf, textsOf } from "./reply-fields.ts";

export interface EndpointConnection {
  /** Address before `/v1`, without a trailing slash. */
  url: string;
  /** Value of the header, such as `Key dk_…`; undefined sends none. */
  authorization?: string | undefined;
  /** Trusted besides the system's, as PEM. */
  certificateAuthority?: string | undefined;
}

export interface EndpointChat {
  model: string;
  messages: readonly ClientMessage[];
  /** Named as in a Modelfile; renamed where OpenAI's names differ. */
  parameters: Readonly<Record<string, unknown>>;
  think?: boolean | string | undefined;
  /** `json`, or a JSON schema. */
  format?: unknown;
  signal: AbortSignal;
}

const renamed: Readonly<Record<string, string>> = { num_predict: "max_tokens" };

export class OpenAiEndpoint {
  readonly #connection: EndpointConnection;

  constructor(connection: EndpointConnection) {
    this.#connection = connection;
  }

  /** @throws as `chat` */
  async models(signal?: AbortSignal): Promise<string[]> {
    const reply = await this.#send("GET", "/v1/models", undefined, signal);
    const { data } = fieldsOf(parseJson(await readText(reply)));
    if (!Array.isArray(data)) throw this.#unreadable("/v1/models");
    return textsOf(entriesOf(data).map(({ id }) => id));
  }

  /**
   * Yields the next answer of a conversation.
   *
   * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
   */
  async *chat({ signal, ...request }: EndpointChat): AsyncGenerator<ChatEvent> {
    const startedAt = performance.now();
    const path = "/v1/chat/completions";
    const reply = await this.#send("POST", path, bodyOf(request), signal);
    const answer = new OpenAiAnswer(startedAt);
    for await (const data of readEvents(reply, this.#connection.url, signal)) {
      if (data === "[DONE]") break;
      const chunk = parseJson(data);
      if (!isRecord(chunk)) throw this.#unreadable(path);
      yield* answer.take(chunk);
    }
    if (signal.aborted) return;
    const statistics = answer.statistics(this.#connection.url);
    yield* answer.calls();
    yield { type: "done", statistics };
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
      body,
      signal,
      certificateAuthority,
    }).catch((error: unknown) => {
      const isUnreachable =
        error instanceof ProductError && error.code === clientErrors.unreachable.code;
      throw isUnreachable ? error.reworded({ hint: "Check that its server is running." }) : error;
    });
    const { statusCode = 0 } = reply;
    if (statusCode >= 200 && statusCode < 300) return reply;
    throw readRefusal(statusCode, path, await readText(reply));
  }

  #unreadable(path: string): ProductError {
    return new ProductError(clientErrors.replyUnreadable, {
      message: `The server at ${this.#connection.url}${path} does not support OpenAI's API.`,
      hint: "A chat needs a deployment with OpenAI's API.",
    });
  }
}

function bodyOf(request: Omit<EndpointChat, "signal">): Fields {
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

function messageOf(
  { role, content, images = [], tool_calls: calls = [] }: ClientMessage,
  index: number,
): Fields {
  if (calls.length > 0) return { role, content, tool_calls: sentToolCalls(calls, index) };
  if (images.length === 0) return { role, content };
  const parts = images.map((base64) => ({
    type: "image_url",
    image_url: { url: `data:${imageType(base64)};base64,${base64}` },
  }));
  return { role, content: [...parts, { type: "text", text: content }] };
}

/** Returns the calls of an earlier answer for a request. @param answer number of its message */
function sentToolCalls(calls: readonly ClientToolCall[], answer: number) {
  return calls.map(({ function: { name, arguments: values } }, index) => ({
    id: `call_${answer}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(values) },
  }));
}

/** Recognises a format by its first bytes. */
function imageType(base64: string): string {
  if (base64.startsWith("/9j/")) return "image/jpeg";
  if (base64.startsWith("R0lGOD")) return "image/gif";
  if (base64.startsWith("UklGR")) return "image/webp";
  return "image/png";
}

function responseFormat(format: unknown): Fields {
  if (!isRecord(format)) return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "answer", schema: format, strict: true } };
}
