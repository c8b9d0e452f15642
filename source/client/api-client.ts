// Typed client of modelctl's HTTP API, for commands and screens.

import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { isRecord } from "../base/json-record.ts";
import { ProductError } from "../base/product-error.ts";
import { type ChatEvent, type ClientMessage, type ModelFacts, toEvents } from "./chat-events.ts";
import { clientErrors } from "./errors.ts";
import { readLines, sendRequest } from "./http-request.ts";
import {
  entriesOf,
  fieldsOf,
  optionalNumber,
  optionalText,
  parseJson,
  textsOf,
} from "./reply-fields.ts";

/** Address and credentials of a server. */
export interface ServerConnection {
  /** Without a trailing slash. */
  url: string;
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
  signal?: AbortSignal;
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

export class ApiClient {
  readonly connection: ServerConnection;

  constructor(connection: ServerConnection) {
    this.connection = connection;
  }

  /** Returns `modelctl`, `other`, or undefined if nothing answers. */
  async identify(): Promise<"modelctl" | "other" | undefined> {
    try {
      const reply = await this.#send("GET", "/api/version", { timeoutMs: probeTimeoutMs });
      const body: unknown = parseJson(await readText(reply));
      return isRecord(body) && body.server === "modelctl" ? "modelctl" : "other";
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
    return this.#ask("/api/chat", { messages }, options);
  }

  /** Yields the answer to a prompt; an empty prompt only loads the model. */
  generate(
    prompt: string,
    options: AskOptions & { system?: string; images?: readonly string[] },
  ): AsyncGenerator<ChatEvent> {
    const { system, images = [] } = options;
    const fields = {
      prompt,
      ...(system !== undefined && { system }),
      ...(images.length > 0 && { images }),
    };
    return this.#ask("/api/generate", fields, options);
  }

  /**
   * Unloads a model once it is not in use.
   *
   * @throws ServerRefusal 404 for an unknown model, or ProductError `CLIENT_SERVER_UNREACHABLE`
   */
  async unload(model: string): Promise<void> {
    const body = { model, keep_alive: 0, stream: false };
    const reply = await this.#send("POST", "/api/generate", { body });
    const text = await readText(reply);
    if (reply.statusCode !== 200) throw refusal(reply, text);
  }

  /** Returns facts about a model; its window is known only while it is loaded. */
  async modelFacts(model: string): Promise<ModelFacts> {
    const [entry, processes] = await Promise.all([
      this.getJson(`/v1/models/${encodeURIComponent(model)}`),
      this.getJson("/api/ps"),
    ]);
    const { loaded_as: loadedAs, description, examples } = fieldsOf(entry);
    // It may be loaded under another name.
    const named = [model, loadedAs];
    const loaded = entriesOf(fieldsOf(processes).models).find((item) =>
      namesOf(item).some((name) => isAmong(named, name)),
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
    const body = await this.getJson(`/api/requests?${searchOf(query)}`);
    return isRecord(body) && Array.isArray(body.requests) ? body.requests : [];
  }

  /**
   * Yields the newest records of the log, then each record that changes, until the server ends.
   *
   * @throws as `requests`, or ProductError `CLIENT_SERVER_VANISHED`
   */
  async *followRequests(query: RequestQuery, signal: AbortSignal): AsyncGenerator<unknown> {
    const path = `/api/requests?${searchOf(query)}&follow=true`;
    const reply = await this.#send("GET", path, { signal });
    if (reply.statusCode !== 200) throw refusal(reply, await readText(reply));
    for await (const line of readLines(reply, this.connection.url, signal)) yield parseJson(line);
  }

  /** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
  async postJson(path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    const reply = await this.#send("POST", path, { body, ...(signal !== undefined && { signal }) });
    const text = await readText(reply);
    if (reply.statusCode !== 200) throw refusal(reply, text);
    return parseJson(text);
  }

  /** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
  async deleteJson(path: string, body: unknown): Promise<unknown> {
    const reply = await this.#send("DELETE", path, { body });
    const text = await readText(reply);
    if (reply.statusCode !== 200) throw refusal(reply, text);
    return parseJson(text);
  }

  /**
   * Yields the records of a streamed reply.
   *
   * @throws ServerRefusal, also for an error within the stream; ProductError
   *   `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
   */
  async *postForRecords(
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): AsyncGenerator<Record<string, unknown>> {
    const reply = await this.#send("POST", path, { body, ...(signal !== undefined && { signal }) });
    if (reply.statusCode !== 200) throw refusal(reply, await readText(reply));
    for await (const line of readLines(reply, this.connection.url, signal)) {
      const record = parseJson(line);
      if (!isRecord(record)) throw unreadable(this.connection.url);
      if (typeof record.error === "string") {
        throw new ServerRefusal(500, optionalText(record.code), record.error);
      }
      yield record;
    }
  }

  /** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
  async getJson(path: string, signal?: AbortSignal): Promise<unknown> {
    const reply = await this.#send("GET", path, { ...(signal !== undefined && { signal }) });
    const text = await readText(reply);
    if (reply.statusCode !== 200) throw refusal(reply, text);
    return parseJson(text);
  }

  /**
   * Yields the records of a streamed reply until the signal aborts or the server ends.
   *
   * @throws as `postForRecords`
   */
  async *getForRecords(path: string, signal: AbortSignal): AsyncGenerator<Record<string, unknown>> {
    const reply = await this.#send("GET", path, { signal });
    if (reply.statusCode !== 200) throw refusal(reply, await readText(reply));
    for await (const line of readLines(reply, this.connection.url, signal)) {
      const record = parseJson(line);
      if (!isRecord(record)) throw unreadable(this.connection.url);
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
    request: { method: "GET" | "POST" | "DELETE"; path: string; body: unknown },
    signal: AbortSignal,
  ): Promise<number> {
    const { method, path, body } = request;
    const reply = await this.#send(method, path, { signal, ...(body !== undefined && { body }) });
    for await (const _ of readLines(reply, this.connection.url, signal)) {
      // Only the end of the stream matters.
    }
    return reply.statusCode ?? 0;
  }

  async *#ask(
    path: string,
    fields: Record<string, unknown>,
    options: AskOptions,
  ): AsyncGenerator<ChatEvent> {
    const { model, parameters, keepAlive, think, format, signal } = options;
    const body = {
      model,
      ...fields,
      stream: true,
      progress: true,
      ...(parameters !== undefined && { options: parameters }),
      ...(keepAlive !== undefined && { keep_alive: keepAlive }),
      ...(think !== undefined && { think }),
      ...(format !== undefined && { format }),
    };
    let isDone = false;
    for await (const record of this.postForRecords(path, body, signal)) {
      yield* toEvents(record);
      isDone = record.done === true;
    }
    if (isDone) return;
    throw new ProductError(clientErrors.vanished, {
      message: `The answer from ${this.connection.url} ended early.`,
      hint: "Try again; the server's log may say why.",
    });
  }

  async #send(
    method: "GET" | "POST" | "DELETE",
    path: string,
    more: { body?: unknown; signal?: AbortSignal; timeoutMs?: number },
  ): Promise<IncomingMessage> {
    const { url, ownerToken, key } = this.connection;
    return await sendRequest({
      method,
      url: url + path,
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
  const body = parseJson(text);
  const error = isRecord(body) ? body.error : undefined;
  if (isRecord(error)) {
    return new ServerRefusal(status, optionalText(error.code), optionalText(error.message) ?? text);
  }
  const code = isRecord(body) ? optionalText(body.code) : undefined;
  return new ServerRefusal(status, code, optionalText(error) ?? `The server answered ${status}.`);
}

function unreadable(url: string): ProductError {
  return new ProductError(clientErrors.replyUnreadable, {
    message: `The server at ${url} does not support this API.`,
    hint: "Check the address.",
  });
}

/** Returns all names of a loaded model. */
function namesOf({ name, names }: Record<string, unknown>): unknown[] {
  return Array.isArray(names) ? [name, ...names] : [name];
}

function isAmong(names: readonly unknown[], wanted: unknown): boolean {
  return names.some((name) => sameModel(name, wanted));
}

function sameModel(one: unknown, other: unknown): boolean {
  const full = (name: string) => (/[/\\]|:[^/\\]*$/.test(name) ? name : `${name}:latest`);
  if (typeof one !== "string" || typeof other !== "string") return false;
  return full(one).toLowerCase() === full(other).toLowerCase();
}
