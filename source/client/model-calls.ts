// Calls about models, for commands.
import type { ApiClient } from "./api-client.ts";
import { showModel } from "./chat-calls.ts";
import {
  entriesOf,
  type Fields,
  fieldsOf,
  numberOf,
  optionalText,
  textOf,
  textsOf,
} from "./reply-fields.ts";

/** Entry of `GET /api/ps`: the fields that a table shows, and others unchanged. */
export interface LoadedEntry extends Record<string, unknown> {
  name: string;
  /** All names of the loaded weights: models made of the same files share them. */
  names: string[];
  digest: string;
  /** Bytes in memory, including those on a GPU. */
  size: number;
  size_vram: number;
  context_length: number;
  slots: number;
  /** Reason why the window is not longer; undefined from an older server. */
  window_limit: string | undefined;
  /** RFC 3339. */
  expires_at: string;
  /** `loading`, `warming up`, `busy` or `idle`. */
  state: string;
  /** 0 to 1. */
  load_progress: number;
  /** Bytes of the draft model in use, which `size` includes; 0 without one. */
  draft_size: number;
}

/** Returns models that are loaded or being loaded, those that stay longest first. */
export async function loadedModels(client: ApiClient): Promise<LoadedEntry[]> {
  const body = await client.getJson("/api/ps");
  return entriesOf(fieldsOf(body).models).map((entry) => ({
    ...entry,
    name: textOf(entry.name),
    names: Array.isArray(entry.names) ? textsOf(entry.names) : [textOf(entry.name)],
    digest: textOf(entry.digest),
    size: numberOf(entry.size),
    size_vram: numberOf(entry.size_vram),
    context_length: numberOf(entry.context_length),
    slots: numberOf(entry.slots),
    window_limit: optionalText(entry.window_limit),
    expires_at: textOf(entry.expires_at),
    state: textOf(entry.state),
    load_progress: numberOf(entry.load_progress),
    draft_size: numberOf(fieldsOf(entry.draft).size),
  }));
}

/** True for an embedding model. */
export async function onlyEmbeds(client: ApiClient, model: string): Promise<boolean> {
  return (await showModel(client, model)).capabilities.includes("embedding");
}

export interface EmbedRequest {
  model: string;
  text: string;
  keepAlive?: string | undefined;
  /** Length of the vector. Defaults to the model's own. */
  dimensions?: number | undefined;
  /** Truncates a text that is too long. Defaults to false. */
  truncate?: boolean | undefined;
  /** Options of the model; `num_ctx` limits the length of the text. */
  options?: Readonly<Record<string, number | string>> | undefined;
}

/** Returns the vector of a text. */
export async function embedText(
  client: ApiClient,
  { text, keepAlive, ...more }: EmbedRequest,
  signal: AbortSignal,
): Promise<number[]> {
  // Leaves out undefined fields.
  const request = { ...more, input: text, keep_alive: keepAlive };
  const body = await client.postJson("/api/embed", request, signal);
  const { embeddings } = fieldsOf(body);
  const vector: unknown = Array.isArray(embeddings) ? embeddings[0] : undefined;
  return Array.isArray(vector) ? vector.map(Number) : [];
}

/** Progress of pulling or creating a model. */
export interface PullRecord {
  status: string;
  digest?: string;
  total?: number;
  completed?: number;
  /** Over all files of the model. */
  overall_total?: number;
  overall_completed?: number;
}

/** Makes the server pull a model, and reports its progress. */
export async function pullOnServer(
  client: ApiClient,
  model: string,
  work: { onProgress: (record: PullRecord) => void; signal: AbortSignal },
): Promise<void> {
  for await (const record of client.postForRecords("/api/pull", { model }, work.signal)) {
    work.onProgress(readPullRecord(record));
  }
}

export function readPullRecord(record: Fields): PullRecord {
  const { digest, total, completed } = record;
  const { overall_total, overall_completed } = record;
  return {
    status: textOf(record.status),
    ...(typeof digest === "string" && { digest }),
    ...(typeof total === "number" && { total }),
    ...(typeof completed === "number" && { completed }),
    ...(typeof overall_total === "number" && { overall_total }),
    ...(typeof overall_completed === "number" && { overall_completed }),
  };
}
