// modelctl keys create, list, revoke: keys of this machine's server.

import { type KeyRecord, keyState } from "../../api-keys/key-record.ts";
import { openServerKeys } from "../../application/local-server/server-keys.ts";
import { formatRelativeTime } from "../../base/formats.ts";
import { productPaths } from "../../configuration/paths.ts";
import { usageError } from "../errors.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { formatTable } from "../table.ts";
import type { keyCommands } from "./server.definition.ts";

const longestMs = 100 * 365 * 86_400_000;

export const createKey: Run<typeof keyCommands.createKey> = async (_words, flags) => {
  const { expires } = flags;
  if (expires !== undefined && (expires <= 0 || expires > longestMs)) {
    throw usageError("--expires must be in the future, within 100 years.", "Use 30d, 12h or 90m.");
  }
  withStore((store) => {
    const now = Date.now();
    const { name = "", role = "infer" } = flags;
    const expiresAt = expires === undefined ? undefined : now + expires;
    const { key, token } = store.create({ name, role, expiresAt });
    if (flags.json) return printDocument({ ...toJson(key, now), token });
    const end =
      key.expiresAt === undefined
        ? "never expires"
        : `expires ${formatRelativeTime(key.expiresAt, now).toLowerCase()}`;
    process.stdout.write(`${token}\n`);
    process.stderr.write(
      `Key ${key.id}${name === "" ? "" : ` (${name})`} with the role ${key.role}; it ${end}. ` +
        "It is shown only once.\n",
    );
  });
};

export const listKeys: Run<typeof keyCommands.listKeys> = async (_words, flags) => {
  const now = Date.now();
  const all = withStore((store) => store.list());
  if (flags.json) return printDocument(all.map((key) => toJson(key, now)));
  const rows = all.map((key) => [
    key.id,
    key.name,
    key.role,
    keyState(key, now),
    formatRelativeTime(key.createdAt, now),
    key.expiresAt === undefined ? "Never" : formatRelativeTime(key.expiresAt, now),
    key.lastUsedAt === undefined ? "Never" : formatRelativeTime(key.lastUsedAt, now),
  ]);
  const headers = ["id", "name", "role", "state", "created", "expires", "last used"];
  process.stdout.write(formatTable(headers, rows));
};

export const revokeKey: Run<typeof keyCommands.revokeKey> = async ([id]) => {
  const key = withStore((store) => store.revoke(id));
  process.stdout.write(`revoked key ${key.id}\n`);
};

function withStore<T>(use: (store: ReturnType<typeof openServerKeys>) => T): T {
  const store = openServerKeys(productPaths(), (text) => process.stderr.write(`${text}\n`));
  try {
    return use(store);
  } finally {
    store.close();
  }
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
