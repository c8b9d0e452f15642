// Searches the hub through the server.
import type { ApiClient } from "./api-client.ts";
import { readSpeed } from "./models-store.ts";
import {
  entriesOf,
  type Fields,
  fieldsOf,
  numberOf,
  optionalNumber,
  optionalText,
  textOf,
  textsOf,
} from "./reply-fields.ts";

/** Orders of a search, named as by the hub. */
export type HubOrder = "downloads" | "likes" | "lastModified" | "trendingScore";

export type HubModel = ReturnType<typeof readModel>;
export type HubQuantization = ReturnType<typeof readQuantization>;

/** @throws ServerRefusal `STORE_HUB_...`, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function searchHub(
  client: ApiClient,
  { text, order }: { text: string; order: HubOrder },
  signal: AbortSignal,
): Promise<HubModel[]> {
  const query = new URLSearchParams({ query: text, order });
  const body = fieldsOf(await client.getJson(`/api/hub/search?${query.toString()}`, signal));
  return entriesOf(body.models).map(readModel);
}

function readModel(entry: Fields) {
  return {
    /** Reference to pull: host, owner and repository. */
    name: textOf(entry.name),
    /** `owner/name` */
    repository: textOf(entry.repository),
    downloads: optionalNumber(entry.downloads),
    likes: optionalNumber(entry.likes),
    /** Since 1970. */
    modifiedMs: timeOf(entry.modified_at),
    isGated: entry.is_gated === true,
    parameterCount: optionalNumber(entry.parameter_count),
    architecture: optionalText(entry.architecture),
    contextLength: optionalNumber(entry.context_length),
    license: optionalText(entry.license),
  };
}

/** Models of the hub that suit the server's machine. */
export interface RecommendedModels {
  readonly models: readonly RecommendedModel[];
  /** Why there are none, or old ones: a sentence each. */
  readonly notes: readonly string[];
}

export type RecommendedModel = ReturnType<typeof readRecommendedModel>;

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function readRecommended(
  client: ApiClient,
  signal: AbortSignal,
): Promise<RecommendedModels> {
  const body = fieldsOf(await client.getJson("/api/hub/recommended", signal));
  return { models: entriesOf(body.models).map(readRecommendedModel), notes: textsOf(body.notes) };
}

function readRecommendedModel(entry: Fields) {
  return {
    /** Reference to pull. */
    name: textOf(entry.name),
    /** `best`, `fast`, `code`, `vision`, `embeddings`. */
    purpose: textOf(entry.purpose),
    sizeBytes: numberOf(entry.size),
    /** The size is an estimate. */
    isRough: entry.is_rough === true,
    /** With a window of 8,192 tokens. */
    memoryBytes: numberOf(entry.memory),
    /** Tokens per second. */
    speed: readSpeed(fieldsOf(entry.speed)),
    diskAfterBytes: optionalNumber(entry.disk_after),
    /** Reason for the recommendation, in one clause. */
    why: textOf(entry.why),
  };
}

/** @throws ServerRefusal `STORE_HUB_...`, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function listQuantizations(
  client: ApiClient,
  name: string,
  signal?: AbortSignal,
): Promise<HubQuantization[]> {
  const query = new URLSearchParams({ name });
  const body = fieldsOf(await client.getJson(`/api/hub/repository?${query.toString()}`, signal));
  return entriesOf(body.quantizations).map(readQuantization);
}

function readQuantization(entry: Fields) {
  return {
    /** Tag for the repository's name. */
    selector: textOf(entry.selector),
    /** Size of the download. */
    sizeBytes: numberOf(entry.size),
    files: numberOf(entry.files),
    hasProjector: entry.has_projector === true,
    /** True for the default choice. */
    isDefault: entry.is_default === true,
  };
}

/**
 * Reads a repository's model card in Markdown; empty if it has none.
 * @throws ServerRefusal `STORE_HUB_...`, or ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export async function readHubCard(client: ApiClient, name: string): Promise<string> {
  const query = new URLSearchParams({ name });
  return textOf(fieldsOf(await client.getJson(`/api/hub/card?${query.toString()}`)).text);
}

function timeOf(value: unknown): number | undefined {
  const time = Date.parse(textOf(value));
  return Number.isNaN(time) ? undefined : time;
}
