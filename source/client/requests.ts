// The server's request log: follows it, reads records, formats them as lines.

import { toOneLine } from "../base/display-text.ts";
import { formatMilliseconds, formatRoughDuration } from "../base/formats.ts";
import { isRecord } from "../base/json.ts";
import type { RequestRecord } from "../request-log/request-record.ts";
import { type ApiClient, ownAgent, type RequestQuery } from "./api-client.ts";
import { fieldsOf, optionalText } from "./reply-fields.ts";

/** Widths of columns in a line. */
const widths = { status: 3, total: 8, request: 28, model: 18 };
/** Shorter times are not shown. */
const leastMs = 1;

export type RequestTexts = Awaited<ReturnType<typeof requestTexts>>;

/**
 * Yields the newest records, then each record that changes, until the server ends.
 *
 * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE`, `CLIENT_SERVER_VANISHED`
 */
export async function* followRequestRecords(
  client: ApiClient,
  query: RequestQuery,
  signal: AbortSignal,
): AsyncGenerator<RequestRecord> {
  for await (const record of client.followRequests(query, signal)) {
    if (isRequestRecord(record)) yield record;
  }
}

/**
 * Reads prompt and answer of a request, if the server records them.
 * @throws ServerRefusal 404 for a record no longer in the log, or ProductError as above
 */
export async function requestTexts(client: ApiClient, id: string) {
  const record = fieldsOf(await client.getJson(`/api/requests/${encodeURIComponent(id)}`));
  return {
    prompt: optionalText(record.prompt),
    answer: optionalText(record.answer),
    /** The request's body as JSON, unchanged; undefined if it was not kept. */
    body: optionalText(record.body),
  };
}

/** @throws ServerRefusal 404 for a request that has ended, or ProductError as above */
export async function cancelRequest(client: ApiClient, id: string): Promise<void> {
  await client.postJson("/api/cancel", { id });
}

/** Starts or stops recording prompts and answers, until the server ends. @throws as above */
export async function recordPrompts(client: ApiClient, enabled: boolean): Promise<void> {
  await client.postJson("/api/recording", { enabled });
}

/** Checks the fields that every record has, and trusts the server with the others. */
export function isRequestRecord(value: unknown): value is RequestRecord {
  if (!isRecord(value)) return false;
  const { id, startedAt, method, path, client, state } = value;
  const texts = [id, method, path, fieldsOf(client).address];
  return (
    texts.every((text) => typeof text === "string") &&
    typeof startedAt === "number" &&
    (state === "running" || state === "done" || state === "cancelled")
  );
}

/**
 * Formats status, time, request and model in columns, followed by details:
 * `200    1.24 s  POST /v1/chat/completions  tiny  34 + 120 tokens, first after 45 ms  r-1f`.
 */
export function formatRequestLine(entry: RequestRecord): string {
  const { status, totalMs, method, path, model = "", id, keyId, warnings = [], error } = entry;
  const columns = [
    (status === undefined ? "…" : String(status)).padEnd(widths.status),
    (totalMs === undefined ? "" : formatMilliseconds(totalMs)).padStart(widths.total),
    `${method} ${path}`.padEnd(widths.request),
    model.padEnd(widths.model),
    figures(entry),
    id,
    keyId === undefined ? "" : `key ${keyId}`,
    cancellationText(entry) ?? "",
    ...warnings,
    error === undefined ? "" : `${error.code}: ${error.message}`,
  ];
  return toOneLine(columns.filter((column) => column !== "").join("  ")).trimEnd();
}

/** Says who cancelled a request; undefined for one that was not. */
export function cancellationText({ state, cancelled }: RequestRecord): string | undefined {
  if (state !== "cancelled" || cancelled === undefined) return undefined;
  const { by, address, agent, keyId } = cancelled;
  if (by === "client") return "cancelled by the client";
  if (agent === ownAgent) return "cancelled on the Server screen";
  return `cancelled with POST /api/cancel ${keyId === undefined ? `from ${address}` : `by key ${keyId}`}`;
}

export interface ReadingProgress {
  readTokens: number;
  promptTokens: number;
  /** At the pace so far; undefined before the first tokens that are not cached. */
  leftMs: number | undefined;
}

/** Returns the progress of a request whose prompt is being read, otherwise undefined. */
export function readingProgress(record: RequestRecord): ReadingProgress | undefined {
  const { state, readTokens = 0, promptTokens = 0, cachedTokens = 0, promptMs = 0 } = record;
  if (state !== "running" || readTokens === 0 || readTokens >= promptTokens) return undefined;
  const computed = readTokens - cachedTokens;
  const leftMs = computed > 0 ? ((promptTokens - readTokens) * promptMs) / computed : undefined;
  return { readTokens, promptTokens, leftMs };
}

/** `reading 8192 of 20114 tokens, 2 minutes left`; undefined unless a prompt is being read. */
export function readingText(record: RequestRecord): string | undefined {
  const progress = readingProgress(record);
  if (progress === undefined) return undefined;
  const { readTokens, promptTokens, leftMs } = progress;
  const left = leftMs === undefined ? "" : `, ${formatRoughDuration(leftMs).toLowerCase()} left`;
  return `reading ${readTokens} of ${promptTokens} tokens${left}`;
}

/** Returns where the cached tokens came from, or why there are none; undefined if unknown. */
export function cacheSource({
  cachedTokens = 0,
  cachedFrom,
  cacheMiss,
}: Pick<RequestRecord, "cachedTokens" | "cachedFrom" | "cacheMiss">): string | undefined {
  if (cachedTokens > 0 || cachedFrom === "not kept") return cachedFrom;
  return cacheMiss;
}

/** Says why no more drafts were made; empty if they were, or if there is no draft model. */
export function draftOffText({ draftSpeed }: Pick<RequestRecord, "draftSpeed">): string {
  return draftSpeed === undefined ? "" : `draft off: ${draftSpeed.toFixed(2)} of plain speed`;
}

function figures(entry: RequestRecord): string {
  const { promptTokens, cachedTokens = 0, completionTokens } = entry;
  const source = cacheSource(entry);
  const isTold = cachedTokens > 0 || source !== undefined;
  const { loadMs, queueMs, firstTokenMs, tokensPerSecond, drafted = 0, accepted = 0 } = entry;
  const answer = completionTokens === undefined ? "" : ` + ${completionTokens}`;
  const told = (words: string, milliseconds: number | undefined) =>
    milliseconds === undefined || milliseconds < leastMs
      ? ""
      : `${words} ${formatMilliseconds(milliseconds)}`;
  return [
    readingText(entry) ?? (promptTokens === undefined ? "" : `${promptTokens}${answer} tokens`),
    isTold ? `${cachedTokens} cached${source === undefined ? "" : ` (${source})`}` : "",
    told("loaded in", loadMs),
    told("queued", queueMs),
    told("first after", firstTokenMs),
    tokensPerSecond === undefined ? "" : `${tokensPerSecond.toFixed(1)} tokens/s`,
    drafted > 0 ? `${accepted} of ${drafted} drafted accepted` : "",
    draftOffText(entry),
  ]
    .filter((part) => part !== "")
    .join(", ");
}
