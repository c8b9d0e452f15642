// Typed client of modelctl's HTTP API, for commands and screens.

import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { isRecord, parseJson } from "../base/json.ts";
import { ProductError } from "../base/product-error.ts";
import {
  type ChatEvent,
  type ClientMessage,
  type ClientTool,
  type ModelFacts,
  toEvents,
} from "./chat-events.ts";
import { clientErrors } from "./errors.ts";
import { type HttpRequest, readLines, sendRequest } from "./http-request.ts";
import {
  entriesOf,
  type Fields,
  fieldsOf,
  optionalNumber,
  optionalText,
  textsOf,
} from "./reply-fields.ts";

/** Address and credentials of a server. */
export interface ServerConnection {
  /** Without a trailing slash. */
  url: string;
  /** PEM of this server's own certificate, from server.json; trusted whatever name it is for. */
  certificate?: string;
  /** File with the authority of a self-signed certificate. */
  authority?: string;
  /** From server.json; allows any file of this user as a model. */
  ownerToken?: string;
  /** For servers that require one. */
  key?: string;
}

export interface AskOptions {
  model: string;
  parameters?: Record<string, unknown>;
  /** Duration as typed by the user. */
  keepAlive?: string;
  /** Makes the model think first, or sets how hard. */
  think?: boolean | string;
  /** `json`, or a JSON schema for the answer. */
  format?: unknown;
  /** Tools that the model may call, for `chat`. */
  tools?: readonly ClientTool[];
  signal?: AbortSignal;
  /** Aborting it ends the model's thinking, and the answer follows. */
  answerNow?: AbortSignal;
}

export interface RequestQuery {
  /** Filter such as `status:5xx model:tiny`. */
  filter?: string | undefined;
  /** Only the newest ones. */
  limit?: number | undefined;
}

/** An error reply of a server: status, code if it sent one, and sentence. */
export class ServerRefusal extends Error {
  override readonly name = "ServerRefusal";
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, code: string | undefined, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** User-Agent of modelctl's own requests. */
export const ownAgent = "modelctl";

const probeTimeoutMs = 2000;

type Method = HttpRequest["method"];
type RequestParts = Pick<HttpRequest, "body" | "signal" | "timeoutMs">;

export class ApiClient {
  readonly connection: ServerConnection;

  constructor(connection: ServerConnection) {
    this.connection = connection;
  }

  /** Returns `modelctl`, `other`, or undefined if nothing answers. */
  async identify(): Promise<"modelctl" | "other" | undefined> {
    try {
      const reply = await this.#send("GET", "/api/version", { timeoutMs: probeTimeoutMs });
      const { server } = fieldsOf(parseJson(await readText(reply)));
      return server === "modelctl" ? "modelctl" : "other";
    } catch (error) {
      // Any other failure means that another program listens there.
      const isNobody =
        error instanceof ProductError &&
        error.code === clientErrors.unreachable.code &&
        /ECONNREFUSED/.test(error.message);
      return isNobody ? undefined : "other";
    }
  }

  /**
   * Yields the next answer of a conversation.
   *
   * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` / `CLIENT_SERVER_VANISHED`
   */
  chat(messages: readonly ClientMessage[], options: AskOptions): AsyncGenerator<ChatEvent> {
    const sent = messages.map(({ typed: _typed, isOfResults: _isOf, ...message }) => message);
    return this.#ask("/api/chat", { messages: sent }, options);
  }

  /** Yields the answer to a prompt; an empty prompt only loads the model. */
  generate(
    prompt: string,
    options: AskOptions & { system?: string; images?: readonly string[] },
  ): AsyncGenerator<ChatEvent> {
    const { system, images } = options;
    return this.#ask("/api/generate", { prompt, system, images }, options);
  }

  /**
   * Unloads a model once it is not in use.
   *
   * @throws ServerRefusal 404 for an unknown model, or ProductError `CLIENT_SERVER_UNREACHABLE`
   */
  async unload(model: string): Promise<void> {
    await this.postJson("/api/generate", { model, keep_alive: 0, stream: false });
  }

  /** Returns facts about a model; its window is known only while it is loaded. */
  async modelFacts(model: string): Promise<ModelFacts> {
    const [entry, processes] = await Promise.all([
      this.getJson(`/v1/models/${encodeURIComponent(model)}`),
      this.getJson("/api/ps"),
    ]);
    const { loaded_as: loadedAs, description, examples } = fieldsOf(entry);
    // It may be loaded under another name.
    const wanted = new Set(textsOf([model, loadedAs]).map(fullName));
    const loaded = entriesOf(fieldsOf(processes).models).find(({ name, names }) =>
      textsOf([name, names].flat()).some((known) => wanted.has(fullName(known))),
    );
    return {
      name: model,
      loadedAs: optionalText(loaded?.name),
      contextLength: optionalNumber(loaded?.context_length),
      card: optionalText(description),
      examples: textsOf(examples),
    };
  }

  /**
   * Returns the server's request log, oldest first.
   *
   * @throws ServerRefusal for an invalid filter, or ProductError as above
   */
  async requests(query: RequestQuery): Promise<unknown[]> {
    const { requests } = fieldsOf(await this.getJson(`/api/requests?${searchOf(query)}`));
    return Array.isArray(requests) ? requests : [];
  }

  /**
   * Yields the newest records of the log, then each record that changes, until the server ends.
   *
   * @throws as `requests`, or ProductError `CLIENT_SERVER_VANISHED`
   */
  followRequests(query: RequestQuery, signal: AbortSignal): AsyncGenerator<Fields> {
    return this.getForRecords(`/api/requests?${searchOf(query)}&follow=true`, signal);
  }

  /** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
  getJson(path: string, signal?: AbortSignal): Promise<unknown> {
    return this.#json("GET", path, { signal });
  }

  /** @throws as `getJson` */
  postJson(path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.#json("POST", path, { body, signal });
  }

  /** @throws as `getJson` */
  deleteJson(path: string, body: unknown): Promise<unknown> {
    return this.#json("DELETE", path, { body });
  }

  /**
   * Yields the records of a streamed reply until the signal aborts or the server ends.
   *
   * @throws ServerRefusal; ProductError `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
   */
  async *getForRecords(path: string, signal: AbortSignal): AsyncGenerator<Fields> {
    yield* this.#records(await this.#accepted("GET", path, { signal }), signal);
  }

  /** @throws as `getForRecords`; also ServerRefusal for an error within the stream */
  async *postForRecords(path: string, body: unknown, signal?: AbortSignal): AsyncGenerator<Fields> {
    yield* this.#acceptedRecords(await this.#accepted("POST", path, { body, signal }), signal);
  }

  async *#acceptedRecords(reply: IncomingMessage, signal?: AbortSignal): AsyncGenerator<Fields> {
    for await (const record of this.#records(reply, signal)) {
      if (typeof record.error === "string") {
        throw new ServerRefusal(500, optionalText(record.code), record.error);
      }
      yield record;
    }
  }

  /**
   * Sends a request unchanged and reads its reply to the end.
   *
   * @returns the reply's status
   * @throws ProductError `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
   */
  async send(
    { method, path, body }: { method: Method; path: string; body: unknown },
    signal: AbortSignal,
  ): Promise<number> {
    const reply = await this.#send(method, path, { body, signal });
    for await (const _ of readLines(reply, this.connection.url, signal)) {
      // Only the end of the stream matters.
    }
    return reply.statusCode ?? 0;
  }

  async *#ask(path: string, fields: Fields, options: AskOptions): AsyncGenerator<ChatEvent> {
    const { model, parameters, keepAlive, think, format, tools, signal, answerNow } = options;
    const settings = { options: parameters, keep_alive: keepAlive, think, format };
    const offered = tools !== undefined && tools.length > 0 ? { tools } : {};
    const body = { model, ...fields, ...settings, ...offered, stream: true, progress: true };
    const reply = await this.#accepted("POST", path, { body, signal });
    const id = reply.headers["x-request-id"];
    // An answer that has just ended needs no end of its thinking.
    const endThinking = () => void this.postJson("/api/answer-now", { id }).catch(() => {});
    if (answerNow?.aborted) endThinking();
    answerNow?.addEventListener("abort", endThinking, { once: true });
    let isDone = false;
    try {
      for await (const record of this.#acceptedRecords(reply, signal)) {
        yield* toEvents(record);
        isDone = record.done === true;
      }
    } finally {
      answerNow?.removeEventListener("abort", endThinking);
    }
    if (isDone) return;
    throw new ProductError(clientErrors.vanished, {
      message: `The answer from ${this.connection.url} ended early.`,
      hint: "Try again; the server's log may say why.",
    });
  }

  async #json(method: Method, path: string, more: RequestParts): Promise<unknown> {
    return parseJson(await readText(await this.#accepted(method, path, more)));
  }

  async *#records(reply: IncomingMessage, signal?: AbortSignal): AsyncGenerator<Fields> {
    for await (const line of readLines(reply, this.connection.url, signal)) {
      const record = parseJson(line);
      if (!isRecord(record)) throw unreadable(this.connection.url);
      yield record;
    }
  }

  /** @throws ServerRefusal for a reply with another status than 200 */
  async #accepted(method: Method, path: string, more: RequestParts): Promise<IncomingMessage> {
    const reply = await this.#send(method, path, more);
    if (reply.statusCode !== 200) throw refusal(reply, await readText(reply));
    return reply;
  }

  async #send(method: Method, path: string, more: RequestParts): Promise<IncomingMessage> {
    const { url, ownerToken, key, certificate } = this.connection;
    return await sendRequest({
      method,
      url: url + path,
      pinnedCertificate: certificate,
      headers: {
        "user-agent": ownAgent,
        ...(ownerToken !== undefined && { "x-modelctl-owner": ownerToken }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...more,
    });
  }
}

function searchOf({ filter, limit }: RequestQuery): URLSearchParams {
  return new URLSearchParams({
    ...(filter !== undefined && { filter }),
    ...(limit !== undefined && { limit: String(limit) }),
  });
}

function refusal(reply: IncomingMessage, text: string): ServerRefusal {
  const status = reply.statusCode ?? 0;
  const { error, code } = fieldsOf(parseJson(text));
  if (isRecord(error)) {
    return new ServerRefusal(status, optionalText(error.code), optionalText(error.message) ?? text);
  }
  const message = optionalText(error) ?? `The server answered ${status}.`;
  return new ServerRefusal(status, optionalText(code), message);
}

function unreadable(url: string): ProductError {
  return new ProductError(clientErrors.replyUnreadable, {
    message: `The server at ${url} does not support this API.`,
    hint: "Check the address.",
  });
}

/** Returns a model's name with its tag, in lower case; a file's path has none. */
function fullName(name: string): string {
  return (/[/\\]|:[^/\\]*$/.test(name) ? name : `${name}:latest`).toLowerCase();
}
