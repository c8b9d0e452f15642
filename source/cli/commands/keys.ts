// modelctl keys: makes, lists and takes back the keys of this machine's server.
import {
  type KeyRecord,
  type KeyRole,
  keyRoles,
  keyState,
  openServerKeys,
} from "../../application/server-keys.ts";
import { exitCodes } from "../../base/product-error.ts";
import { formatRelativeTime } from "../../base/relative-time.ts";
import { parseDuration } from "../../configuration/duration.ts";
import { productPaths } from "../../configuration/paths.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { formatTable } from "../table.ts";

const usage = "modelctl keys create [--name NAME] [--role infer|manage] [--expires 30d]";

export async function keys([word, ...words]: string[], flags: Flags): Promise<number> {
  const store = openServerKeys(productPaths(), (text) => process.stderr.write(`${text}\n`));
  try {
    switch (word) {
      case "create":
        refuseWords(words);
        return create(store, flags);
      case "list":
        refuseWords(words);
        refuseFlags("list", flags);
        return list(store, flags);
      case "revoke":
        refuseFlags("revoke", flags);
        return revoke(store, words);
    }
  } finally {
    store.close();
  }
  throw usageError("keys knows three words: create, list and revoke ID.", usage);
}

type Store = ReturnType<typeof openServerKeys>;

function create(store: Store, flags: Flags): number {
  const now = Date.now();
  const name = flags.name ?? "";
  const { key, token } = store.create({
    name,
    role: readRole(flags.role),
    expiresAt: flags.expires === undefined ? undefined : now + readExpiry(flags.expires),
  });
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ ...toJson(key, now), token }, undefined, 2)}\n`);
    return exitCodes.ok;
  }
  const end = key.expiresAt === undefined ? "never expires" : `expires ${when(key.expiresAt, now)}`;
  process.stdout.write(`${token}\n`);
  process.stderr.write(
    `Key ${key.id}${name === "" ? "" : ` (${name})`} with the role ${key.role}; it ${end}. ` +
      "It is shown this once.\n",
  );
  return exitCodes.ok;
}

function list(store: Store, flags: Flags): number {
  const now = Date.now();
  const all = store.list();
  if (flags.json) {
    const records = all.map((key) => toJson(key, now));
    process.stdout.write(`${JSON.stringify(records, undefined, 2)}\n`);
    return exitCodes.ok;
  }
  const rows = all.map((key) => [
    key.id,
    key.name,
    key.role,
    keyState(key, now),
    when(key.createdAt, now),
    key.expiresAt === undefined ? "Never" : when(key.expiresAt, now),
    key.lastUsedAt === undefined ? "Never" : when(key.lastUsedAt, now),
  ]);
  const headers = ["id", "name", "role", "state", "created", "expires", "last used"];
  process.stdout.write(formatTable(headers, rows));
  return exitCodes.ok;
}

function revoke(store: Store, [id, ...more]: string[]): number {
  if (id === undefined || more.length > 0) {
    throw usageError("revoke needs one id.", "modelctl keys list shows the ids.");
  }
  const key = store.revoke(id);
  process.stdout.write(`revoked key ${key.id}\n`);
  return exitCodes.ok;
}

function toJson(key: KeyRecord, now: number) {
  const time = (value: number | undefined) =>
    value === undefined ? null : new Date(value).toISOString();
  return {
    id: key.id,
    name: key.name,
    role: key.role,
    state: keyState(key, now),
    createdAt: time(key.createdAt),
    expiresAt: time(key.expiresAt),
    lastUsedAt: time(key.lastUsedAt),
    revokedAt: time(key.revokedAt),
  };
}

function when(time: number, now: number): string {
  return formatRelativeTime(time, now);
}

function readRole(text = "infer"): KeyRole {
  const role = keyRoles.find((candidate) => candidate === text);
  if (role !== undefined) return role;
  throw usageError(`--role ${text} is no role.`, `Use ${keyRoles.join(" or ")}.`);
}

const dayMs = 86_400_000;
const longestMs = 100 * 365 * dayMs;

function readExpiry(text: string): number {
  const days = /^(\d+)d$/.exec(text)?.[1];
  const milliseconds = days === undefined ? parseDuration(text) : Number(days) * dayMs;
  if (milliseconds !== undefined && milliseconds > 0 && milliseconds <= longestMs) {
    return Math.round(milliseconds);
  }
  throw usageError(`--expires ${text} is no time ahead.`, "Use 30d, 12h or 90m.");
}

function refuseWords(words: readonly string[]): void {
  if (words.length > 0) throw usageError(`keys takes no '${words[0]}' here.`, usage);
}

function refuseFlags(word: string, { name, role, expires }: Flags): void {
  if (name === undefined && role === undefined && expires === undefined) return;
  throw usageError(`keys ${word} takes no --name, --role or --expires.`, usage);
}
