// The typed client of our own HTTP API, used by the command line and the terminal screens.

import type { IncomingMessage } from "node:http";
import { isRecord } from "../base/json-record.ts";
import { ProductError } from "../base/product-error.ts";
import type { ChatEvent, ClientMessage, ModelFacts } from "./chat-events.ts";
import { toEvents } from "./chat-records.ts";
import { clientErrors } from "./errors.ts";
import { readLines, readText, sendRequest } from "./http-request.ts";

/** The address and credentials for reaching a server. */
export interface ServerConnection {
  /** Without a slash at its end. */
  url: string;
  /** From server.json: lets us name any file of ours. */
  ownerToken?: string;
  /** For servers that ask for one. */
  key?: string;
}

export interface AskOptions {
  model: string;
  parameters?: Record<string, unknown>;
  /** Duration text as typed by the user. */
  keepAlive?: string;
  /** Makes the model think first, or sets how hard. */
  think?: boolean | string;
  /** `json`, or a JSON schema that the answer must fit. */
  format?: unknown;
  signal?: AbortSignal;
}

export interface RequestQuery {
  /** In the language of the log's filters: `status:5xx model:tiny`. */
  filter?: string | undefined;
  /** Only the newest ones. */
  limit?: number | undefined;
}

/** A server's refusal: its status, our code where it sent one, and its sentence. */
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

/** The User-Agent of every request of modelctl itself. */
export const ownAgent = "modelctl";

const probeTimeoutMs = 2000;

export class ApiClient {
  readonly connection: ServerConnection;

  constructor(connection: ServerConnection) {
    this.connection = connection;
  }

  /** Returns `modelctl`, `other`, or undefined when nothing answers. */
  async identify(): Promise<"modelctl" | "other" | undefined> {
    try {
      const reply = await this.#send("GET", "/api/version", { timeoutMs: probeTimeoutMs });
      const body: unknown = parseJson(await readText(reply));
      return isRecord(body) && body.server === "modelctl" ? "modelctl" : "other";
    } catch (error) {
      // A server that answers differently from ours is not one of ours.
      const isNobody =
        error instanceof ProductError &&
        error.code === clientErrors.unreachable.code &&
        /ECONNREFUSED/.test(error.message);
      return isNobody ? undefined : "other";
    }
  }

  /**
   * One answer in a conversation.
   *
   * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` / `CLIENT_SERVER_VANISHED`
   */
  chat(messages: readonly ClientMessage[], options: AskOptions): AsyncGenerator<ChatEvent> {
    return this.#ask("/api/chat", { messages }, options);
  }

  /** One answer to a single prompt; an empty prompt only loads the model. */
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
   * Unloads a model as soon as it is not in use.
   *
   * @throws ServerRefusal 404 for an unknown model, or ProductError `CLIENT_SERVER_UNREACHABLE`
   */
  async unload(model: string): Promise<void> {
    const body = { model, keep_alive: 0, stream: false };
    const reply = await this.#send("POST", "/api/generate", { body });
    const text = await readText(reply);
    if (reply.statusCode !== 200) throw refusal(reply, text);
  }

  /** Facts about a model that is not loaded; the window is known only once it is. */
  async modelFacts(model: string): Promise<ModelFacts> {
    const [entry, processes] = await Promise.all([
      this.getJson(`/v1/models/${encodeURIComponent(model)}`),
      this.getJson("/api/ps"),
    ]);
    const list: unknown = isRecord(processes) ? processes.models : undefined;
    // It may be loaded under another name, and not asked for under this one yet.
    const named = isRecord(entry) ? [model, entry.loaded_as] : [model];
    const loaded = Array.isArray(list)
      ? list.find((item) => isRecord(item) && namesOf(item).some((name) => isAmong(named, name)))
      : undefined;
    const length = isRecord(loaded) ? loaded.context_length : undefined;
    const card = isRecord(entry) ? entry.description : undefined;
    const examples = isRecord(entry) && Array.isArray(entry.examples) ? entry.examples : [];
    return {
      name: model,
      loadedAs: isRecord(loaded) && typeof loaded.name === "string" ? loaded.name : undefined,
      contextLength: typeof length === "number" ? length : undefined,
      card: typeof card === "string" ? card : undefined,
      examples: examples.filter((example) => typeof example === "string"),
    };
  }

  /**
   * The server's request log, oldest first.
   *
   * @throws ServerRefusal for a filter that makes no sense, or ProductError as above
   */
  async requests(query: RequestQuery): Promise<unknown[]> {
    const body = await this.getJson(`/api/requests?${searchOf(query)}`);
    return isRecord(body) && Array.isArray(body.requests) ? body.requests : [];
  }

  /**
   * The newest records of the log, and then each one whenever it changes, until the server ends it.
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
   * The records of a streamed reply as they come.
   *
   * @throws ServerRefusal, also for an error in a record; ProductError
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
        throw new ServerRefusal(500, textOf(record.code), record.error);
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
   * Yields the records of a reply until the signal aborts or the server ends it.
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
   * Sends a request as it is and reads its reply to the end.
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
    return new ServerRefusal(status, textOf(error.code), textOf(error.message) ?? text);
  }
  const code = isRecord(body) ? textOf(body.code) : undefined;
  return new ServerRefusal(status, code, textOf(error) ?? `The server answered ${status}.`);
}

function unreadable(url: string): ProductError {
  return new ProductError(clientErrors.replyUnreadable, {
    message: `The server at ${url} does not support this API.`,
    hint: "Check the address.",
  });
}

/** A model that is loaded may have several names. */
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the caller says so in its own words
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
