// The server's request log as the Server screen sees it: records as they change, one in full.
import { isRecord } from "../base/json-record.ts";
import type { ApiClient, RequestQuery } from "./api-client.ts";
import { fieldsOf, optionalNumber, optionalText, textOf } from "./reply-fields.ts";
import { isRequestEntry } from "./request-entry.ts";

/** A record of the log. Times are milliseconds; what is unknown is undefined. */
export interface RequestView {
  /** Unique while the server runs. */
  id: string;
  /** Since 1970. */
  startedAt: number;
  method: string;
  path: string;
  model: string | undefined;
  keyId: string | undefined;
  client: { address: string; agent: string | undefined };
  stream: boolean;
  /** The settings in force for the answer. */
  parameters: Record<string, unknown> | undefined;
  state: "running" | "done";
  /** 499 when the client left. */
  status: number | undefined;
  error: { code: string; message: string } | undefined;
  finishReason: string | undefined;
  promptTokens: number | undefined;
  cachedTokens: number | undefined;
  /** See `RequestEntry`. */
  cachedFrom?: string | undefined;
  cacheMiss?: string | undefined;
  completionTokens: number | undefined;
  slot: number | undefined;
  loadMs: number | undefined;
  queueMs: number | undefined;
  promptMs: number | undefined;
  completionMs: number | undefined;
  tokensPerSecond: number | undefined;
  firstTokenMs: number | undefined;
  totalMs: number | undefined;
}

/** The prompt and the answer, if the server keeps them. */
export interface RequestTexts {
  prompt: string | undefined;
  answer: string | undefined;
  /** The request's body as JSON, whole and unchanged; undefined where it cannot be had. */
  body: string | undefined;
}

/**
 * The newest records, and then each one whenever it changes, until the server ends it.
 *
 * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
 */
export async function* followRequestViews(
  client: ApiClient,
  query: RequestQuery,
  signal: AbortSignal,
): AsyncGenerator<RequestView> {
  for await (const record of client.followRequests(query, signal)) {
    const view = readRequestView(record);
    if (view !== undefined) yield view;
  }
}

/** @throws ServerRefusal 404 once the log has forgotten it, or ProductError as above */
export async function requestTexts(client: ApiClient, id: string): Promise<RequestTexts> {
  const record = fieldsOf(await client.getJson(`/api/requests/${encodeURIComponent(id)}`));
  return {
    prompt: optionalText(record.prompt),
    answer: optionalText(record.answer),
    body: optionalText(record.body),
  };
}

/** @throws ServerRefusal 404 when it has ended, or ProductError as above */
export async function cancelRequest(client: ApiClient, id: string): Promise<void> {
  await client.postJson("/api/cancel", { id });
}

/** Begins or ends the recording of prompts and answers, until the server ends. @throws as above */
export async function recordPrompts(client: ApiClient, enabled: boolean): Promise<void> {
  await client.postJson("/api/recording", { enabled });
}

/** Returns undefined for anything but a record. */
export function readRequestView(value: unknown): RequestView | undefined {
  if (!isRequestEntry(value) || !isRecord(value)) return undefined;
  const client = fieldsOf(value.client);
  const error = isRecord(value.error) ? value.error : undefined;
  return {
    id: value.id,
    startedAt: value.startedAt,
    method: value.method,
    path: value.path,
    model: optionalText(value.model),
    keyId: optionalText(value.keyId),
    client: { address: textOf(client.address), agent: optionalText(client.agent) },
    stream: value.stream === true,
    parameters: isRecord(value.parameters) ? value.parameters : undefined,
    state: value.state,
    status: optionalNumber(value.status),
    error:
      error === undefined
        ? undefined
        : { code: textOf(error.code), message: textOf(error.message) },
    finishReason: optionalText(value.finishReason),
    promptTokens: optionalNumber(value.promptTokens),
    cachedTokens: optionalNumber(value.cachedTokens),
    cachedFrom: optionalText(value.cachedFrom),
    cacheMiss: optionalText(value.cacheMiss),
    completionTokens: optionalNumber(value.completionTokens),
    slot: optionalNumber(value.slot),
    loadMs: optionalNumber(value.loadMs),
    queueMs: optionalNumber(value.queueMs),
    promptMs: optionalNumber(value.promptMs),
    completionMs: optionalNumber(value.completionMs),
    tokensPerSecond: optionalNumber(value.tokensPerSecond),
    firstTokenMs: optionalNumber(value.firstTokenMs),
    totalMs: optionalNumber(value.totalMs),
  };
}
