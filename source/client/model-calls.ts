// Calls of our commands about models, besides answers.
import { isRecord } from "../base/json-record.ts";
import type { ApiClient } from "./api-client.ts";

/** An entry of `GET /api/ps`, as far as a table shows it; the rest is kept as it came. */
export interface LoadedEntry extends Record<string, unknown> {
  name: string;
  /** All names that it serves: models made of the same files share the loaded weights. */
  names: string[];
  digest: string;
  /** Bytes in memory, those on a GPU among them. */
  size: number;
  size_vram: number;
  context_length: number;
  slots: number;
  /** RFC 3339. */
  expires_at: string;
  /** `loading`, `busy` or `idle`. */
  state: string;
  /** 0 to 1. */
  load_progress: number;
}

/** Models that are loaded or being loaded, those that stay longest first. */
export async function loadedModels(client: ApiClient): Promise<LoadedEntry[]> {
  const body = await client.getJson("/api/ps");
  const list = isRecord(body) && Array.isArray(body.models) ? body.models : [];
  return list.filter(isRecord).map((entry) => ({
    ...entry,
    name: textOf(entry.name),
    names: Array.isArray(entry.names)
      ? entry.names.filter((name) => typeof name === "string")
      : [textOf(entry.name)],
    digest: textOf(entry.digest),
    size: numberOf(entry.size),
    size_vram: numberOf(entry.size_vram),
    context_length: numberOf(entry.context_length),
    slots: numberOf(entry.slots),
    expires_at: textOf(entry.expires_at),
    state: textOf(entry.state),
    load_progress: numberOf(entry.load_progress),
  }));
}

/** True for a model that embeds texts and cannot generate any. */
export async function onlyEmbeds(client: ApiClient, model: string): Promise<boolean> {
  const body = await client.postJson("/api/show", { model });
  const capabilities = isRecord(body) ? body.capabilities : undefined;
  return Array.isArray(capabilities) && capabilities.includes("embedding");
}

export interface EmbedRequest {
  model: string;
  text: string;
  keepAlive?: string | undefined;
  /** Length of the vector; absent: the model's own. */
  dimensions?: number | undefined;
  /** Truncates a text that is too long. Defaults to false. */
  truncate?: boolean | undefined;
}

/** The vector of one text. */
export async function embedText(
  client: ApiClient,
  { model, text, keepAlive, dimensions, truncate }: EmbedRequest,
  signal: AbortSignal,
): Promise<number[]> {
  // Leaves out undefined fields.
  const request = { model, input: text, keep_alive: keepAlive, dimensions, truncate };
  const body = await client.postJson("/api/embed", request, signal);
  const vectors = isRecord(body) && Array.isArray(body.embeddings) ? body.embeddings : [];
  const vector: unknown = vectors[0];
  return Array.isArray(vector) ? vector.map(Number) : [];
}

export interface PullRecord {
  status: string;
  digest?: string;
  total?: number;
  completed?: number;
  /** Over all files of the model. */
  overallTotal?: number;
  overallCompleted?: number;
}

/** Makes the server pull a model, and passes on its progress. */
export async function pullOnServer(
  client: ApiClient,
  model: string,
  work: { onProgress: (record: PullRecord) => void; signal: AbortSignal },
): Promise<void> {
  for await (const record of client.postForRecords("/api/pull", { model }, work.signal)) {
    const { digest, total, completed } = record;
    const { overall_total: overallTotal, overall_completed: overallCompleted } = record;
    work.onProgress({
      status: textOf(record.status),
      ...(typeof digest === "string" && { digest }),
      ...(typeof total === "number" && { total }),
      ...(typeof completed === "number" && { completed }),
      ...(typeof overallTotal === "number" && { overallTotal }),
      ...(typeof overallCompleted === "number" && { overallCompleted }),
    });
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
