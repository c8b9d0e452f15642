// Defaults that a repository sets for its model, in Ollama's files `template`, `system` and
// `params` (https://huggingface.co/docs/hub/ollama).

import { isRecord, parseJson } from "../../base/json.ts";
import type { HubConnection } from "./hub-connection.ts";
import { readHubText } from "./hub-json.ts";
import { replyError } from "./reply-error.ts";
import { type Repository, resolveUrl } from "./repository.ts";

export interface RepositoryDefaults {
  /** In Go's template language. */
  template?: string;
  system?: string;
  /** Keyed by name; values are not validated yet. */
  params?: Readonly<Record<string, unknown>>;
  /** Files that cannot be used, with the reason: `params: it is not a JSON object`. */
  problems: string[];
}

export interface DefaultsWork {
  connection: HubConnection;
  signal: AbortSignal;
  /** Called with the reason for a retry. */
  onRetry: (detail: string) => void;
}

/** Longer than any template. */
const longestBytes = 1024 ** 2;
const maxTries = 3;

/**
 * Requests only the files that the repository has.
 * @throws ProductError `STORE_HUB_...`
 */
export async function readRepositoryDefaults(
  repository: Repository,
  work: DefaultsWork,
): Promise<RepositoryDefaults> {
  const defaults: RepositoryDefaults = { problems: [] };
  for (const { path, sizeBytes } of repository.files) {
    if (path !== "template" && path !== "system" && path !== "params") continue;
    if (sizeBytes > longestBytes) {
      defaults.problems.push(`${path}: it is too long (${sizeBytes} bytes)`);
      continue;
    }
    const text = await readText(repository, path, work);
    if (path !== "params") {
      if (text.trim() !== "") defaults[path] = text;
      continue;
    }
    const params = objectIn(text);
    if (params === undefined) defaults.problems.push("params: it is not a JSON object");
    else defaults.params = params;
  }
  return defaults;
}

async function readText(
  { repo, commit }: Repository,
  path: string,
  { connection, signal, onRetry }: DefaultsWork,
): Promise<string> {
  const { settings } = connection;
  const target = { repo, revision: commit, path };
  return await readHubText(connection, resolveUrl(settings.endpoint, target), {
    signal,
    onRetry,
    tries: maxTries,
    refusal: (reply) => replyError(reply, target, settings),
  });
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}
