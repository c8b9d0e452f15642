// Searches the hub for repositories of GGUF models.

import { isRecord } from "../../base/json.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { HttpReply } from "./http-reply.ts";
import { type ConnectionOptions, HubConnection } from "./hub-connection.ts";
import { invalidReply, readHubJson } from "./hub-json.ts";
import type { HubSettings } from "./hub-settings.ts";
import { serviceError, tokenAdvice } from "./reply-error.ts";

/** Sort keys of the hub; the largest or newest comes first. */
export const searchOrders = ["downloads", "likes", "lastModified", "trendingScore"] as const;
export type SearchOrder = (typeof searchOrders)[number];

export interface HubSearch {
  /** Words of owner or name; empty matches all models. */
  text: string;
  order: SearchOrder;
  /** Most results, 1 to 100. */
  limit: number;
}

/** The hub's facts about a repository; missing ones are undefined. */
export interface HubModel {
  /** `owner/name` */
  repo: string;
  downloads: number | undefined;
  likes: number | undefined;
  /** ISO 8601. */
  updatedAt: string | undefined;
  /** Its terms must be accepted on the hub before it can be downloaded. */
  isGated: boolean;
  parameterCount: number | undefined;
  architecture: string | undefined;
  contextLength: number | undefined;
  license: string | undefined;
}

export interface SearchWork {
  settings: HubSettings;
  signal: AbortSignal;
  connection?: Partial<ConnectionOptions>;
}

const fields = ["downloads", "likes", "lastModified", "gated", "gguf", "tags"];

/**
 * https://huggingface.co/docs/hub/api#get-apimodels
 *
 * @throws ProductError `STORE_HUB_...`
 */
export async function searchModels(
  { text, order, limit }: HubSearch,
  work: SearchWork,
): Promise<HubModel[]> {
  const query = {
    ...(text !== "" && { search: text }),
    filter: "gguf",
    sort: order,
    limit: String(limit),
  };
  const entries = await askForModels(query, fields, work);
  return entries.flatMap(readModel);
}

/**
 * Asks for a list of models; each entry is an object with the wanted fields, or anything else.
 *
 * @throws ProductError `STORE_HUB_...`
 */
export async function askForModels(
  query: Readonly<Record<string, string>>,
  fields: readonly string[],
  { settings, signal, connection: options }: SearchWork,
): Promise<unknown[]> {
  const connection = new HubConnection(settings, options);
  const parameters = new URLSearchParams({ ...query, direction: "-1" });
  for (const field of fields) parameters.append("expand", field);
  try {
    const { value } = await readHubJson(
      connection,
      `${settings.endpoint}/api/models?${parameters.toString()}`,
      {
        signal,
        onRetry: () => {},
        // Results are shown while a person types: the next letter sends the next request.
        tries: 1,
        refusal: (reply) => searchRefusal(reply, settings),
      },
    );
    const { host } = new URL(settings.endpoint);
    if (!Array.isArray(value)) throw invalidReply(host, "its list of models is not a list");
    return value;
  } finally {
    await connection.close();
  }
}

/** Skips an entry without a plain name, which could not be pulled either. */
export function readModel(entry: unknown): HubModel[] {
  if (!isRecord(entry)) return [];
  const repo = entry.id;
  if (typeof repo !== "string" || !/^[\w.-]+\/[\w.-]+$/.test(repo)) return [];
  const gguf = isRecord(entry.gguf) ? entry.gguf : {};
  const tags = Array.isArray(entry.tags) ? entry.tags.filter((tag) => typeof tag === "string") : [];
  const license = tags.find((tag) => tag.startsWith("license:"))?.slice("license:".length);
  return [
    {
      repo,
      downloads: numberIn(entry.downloads),
      likes: numberIn(entry.likes),
      updatedAt: textIn(entry.lastModified),
      isGated: entry.gated !== undefined && entry.gated !== false,
      parameterCount: numberIn(gguf.total),
      architecture: textIn(gguf.architecture),
      contextLength: numberIn(gguf.context_length),
      license,
    },
  ];
}

function searchRefusal(reply: HttpReply, settings: HubSettings): ProductError {
  if (reply.status !== 401 && reply.status !== 403) return serviceError(reply, settings);
  const { host } = new URL(settings.endpoint);
  return new ProductError(storeErrors.hubUnauthorised, {
    message: `${host} refuses the search (status ${reply.status}).`,
    hint: tokenAdvice(settings),
  });
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
