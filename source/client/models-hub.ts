// Searches the hub through the server.
import type { ApiClient } from "./api-client.ts";
import {
  entriesOf,
  fieldsOf,
  numberOf,
  optionalNumber,
  optionalText,
  textOf,
} from "./reply-fields.ts";

/** Orders of a search, named as by the hub. */
export const hubOrders = ["downloads", "likes", "lastModified", "trendingScore"] as const;
export type HubOrder = (typeof hubOrders)[number];

export interface HubModel {
  /** Reference to pull: host, owner and repository. */
  name: string;
  /** `owner/name` */
  repository: string;
  downloads: number | undefined;
  likes: number | undefined;
  /** Since 1970. */
  modifiedMs: number | undefined;
  isGated: boolean;
  parameterCount: number | undefined;
  architecture: string | undefined;
  contextLength: number | undefined;
  license: string | undefined;
}

/** @throws ServerRefusal `STORE_HUB_...`, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function searchHub(
  client: ApiClient,
  { text, order }: { text: string; order: HubOrder },
  signal: AbortSignal,
): Promise<HubModel[]> {
  const query = new URLSearchParams({ query: text, order });
  const body = fieldsOf(await client.getJson(`/api/hub/search?${query.toString()}`, signal));
  return entriesOf(body.models).map((entry) => ({
    name: textOf(entry.name),
    repository: textOf(entry.repository),
    downloads: optionalNumber(entry.downloads),
    likes: optionalNumber(entry.likes),
    modifiedMs: timeOf(entry.modified_at),
    isGated: entry.is_gated === true,
    parameterCount: optionalNumber(entry.parameter_count),
    architecture: optionalText(entry.architecture),
    contextLength: optionalNumber(entry.context_length),
    license: optionalText(entry.license),
  }));
}

export interface HubQuantization {
  /** Tag for the repository's name. */
  selector: string;
  /** Size of the download. */
  sizeBytes: number;
  files: number;
  hasProjector: boolean;
  /** True for the default choice. */
  isDefault: boolean;
}

/** @throws ServerRefusal `STORE_HUB_...`, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function listQuantizations(
  client: ApiClient,
  name: string,
  signal?: AbortSignal,
): Promise<HubQuantization[]> {
  const query = new URLSearchParams({ name });
  const body = fieldsOf(await client.getJson(`/api/hub/repository?${query.toString()}`, signal));
  return entriesOf(body.quantizations).map((entry) => ({
    selector: textOf(entry.selector),
    sizeBytes: numberOf(entry.size),
    files: numberOf(entry.files),
    hasProjector: entry.has_projector === true,
    isDefault: entry.is_default === true,
  }));
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
