// A hub repository at one commit: its files, and their addresses.

import { isRecord } from "../../base/json.ts";
import type { HubConnection } from "./hub-connection.ts";
import { invalidReply, readHubJson } from "./hub-json.ts";
import { type HubTarget, headerText, replyError } from "./reply-error.ts";

export interface RepositoryFile {
  /** Path in the repository, with `/`. */
  path: string;
  sizeBytes: number;
  /** 64 hex digits; absent for small files that the hub keeps in git itself. */
  sha256?: string;
}

export interface Repository {
  /** `owner/name` */
  repo: string;
  /** The commit that the revision names now. */
  commit: string;
  /** In the hub's order, by path. */
  files: RepositoryFile[];
}

export interface RepositoryQuestion {
  /** `owner/name` */
  repo: string;
  /** Branch, tag or commit. */
  revision: string;
  signal: AbortSignal;
  /** Called with the reason for a retry. */
  onRetry: (detail: string) => void;
}

const maxPages = 1000;
/**
 * Fewer retries than for a download: a person waits for the first answer, and no work is lost yet.
 */
const maxTries = 3;

/**
 * Lists the files of a repository at the commit that the revision names now, so that later
 * downloads match each other.
 *
 * @throws ProductError `STORE_HUB_...`
 */
export async function readRepository(
  connection: HubConnection,
  question: RepositoryQuestion,
): Promise<Repository> {
  const { repo } = question;
  const commit = await readCommit(connection, question);
  const base = new URL(
    `${connection.settings.endpoint}/api/models/${urlPath(repo)}/tree/${encodeURIComponent(commit)}`,
  );
  base.search = "?recursive=true&expand=false";
  const files: RepositoryFile[] = [];
  let page: URL | undefined = base;
  for (let count = 0; page !== undefined; count += 1) {
    if (count === maxPages) throw invalidReply(base.host, "its list of files is endless");
    const { value, headers } = await readJson(connection, page.href, question);
    files.push(...readEntries(value, base.host));
    // Takes only the cursor from the link: a mirror may pass on the original's address.
    const next: string | undefined = /<([^>]+)>\s*;\s*rel="?next"?/.exec(
      headerText(headers, "link"),
    )?.[1];
    page = next === undefined ? undefined : new URL(base);
    if (page !== undefined && next !== undefined) page.search = new URL(next, base).search;
  }
  return { repo, commit, files };
}

async function readCommit(
  connection: HubConnection,
  question: RepositoryQuestion,
): Promise<string> {
  const { repo, revision } = question;
  const url = `${connection.settings.endpoint}/api/models/${urlPath(repo)}/revision/${encodeURIComponent(revision)}?expand=sha`;
  const { value } = await readJson(connection, url, question);
  const sha = isRecord(value) ? value.sha : undefined;
  if (typeof sha === "string" && /^[0-9a-zA-Z._-]+$/.test(sha)) return sha;
  throw invalidReply(new URL(url).host, "it does not give the commit of a revision");
}

function readJson(connection: HubConnection, url: string, question: RepositoryQuestion) {
  const { repo, revision, signal, onRetry } = question;
  return readHubJson(connection, url, {
    signal,
    onRetry,
    tries: maxTries,
    refusal: (reply) => replyError(reply, { repo, revision }, connection.settings),
  });
}

function readEntries(value: unknown, host: string): RepositoryFile[] {
  if (!Array.isArray(value)) throw invalidReply(host, "its list of files is not a list");
  return value.flatMap((entry: unknown) => {
    if (!isRecord(entry) || entry.type !== "file") return [];
    const lfs = isRecord(entry.lfs) ? entry.lfs : undefined;
    const { path } = entry;
    const sizeBytes = lfs?.size ?? entry.size;
    if (typeof path !== "string" || !isPlainPath(path) || !isSize(sizeBytes)) {
      throw invalidReply(host, `it lists a file as ${JSON.stringify(entry).slice(0, 200)}`);
    }
    const oid = typeof lfs?.oid === "string" ? lfs.oid.replace(/^sha256:/, "") : "";
    return [{ path, sizeBytes, ...(/^[0-9a-f]{64}$/.test(oid) && { sha256: oid }) }];
  });
}

/** Accepts no path that leaves its folder or contains terminal control characters. */
function isPlainPath(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
  if (/[\x00-\x1f\x7f\\]/.test(text)) return false;
  return text.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Address of a file on the hub, which may redirect to its file storage. */
export function resolveUrl(endpoint: string, target: HubTarget & { path: string }): string {
  const { repo, revision, path } = target;
  return `${endpoint}/${urlPath(repo)}/resolve/${encodeURIComponent(revision)}/${urlPath(path)}`;
}

function urlPath(text: string): string {
  return text.split("/").map(encodeURIComponent).join("/");
}
