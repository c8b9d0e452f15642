// deployctl keys create, list, revoke, rotate: who may call apps, and who may command the server.
import { exitCodes } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type {
  AppDocument,
  KeyDocument,
  KeyScope,
  NewKeyDocument,
} from "../../../cloud/admin/documents.ts";
import { usageError } from "../../errors.ts";
import { formatTable } from "../../table.ts";
import type { Flags } from "../flags.ts";
import { printAnswer, tell, warn } from "../print.ts";
import { readChoice, readCount, readSpan, readTime } from "../read-values.ts";
import { openSession, settingOf } from "../session.ts";
import { clientOf, startedClientOf } from "../target.ts";
import { noWords, oneWord } from "../words.ts";

const scopes: readonly KeyScope[] = ["api", "api:read", "admin"];
const usualGrace = "24h";

export async function createKey(words: string[], flags: Flags): Promise<number> {
  noWords("keys create", words);
  const scope = readChoice("--scope", flags.scope?.toLowerCase(), scopes);
  if (scope === undefined) {
    throw usageError("keys create needs a scope.", "Use --scope api, api:read or admin.");
  }
  const session = openSession(flags);
  const client = await startedClientOf(session);
  const apps = flags.app?.flatMap((names) => names.split(",")).filter((name) => name !== "");
  const made = await client.createKey({
    ...{ scope, organisation: settingOf(session, "org"), apps },
    description: flags.desc,
    expiresInMs: readSpan("--expires", flags.expires),
    requestsPerMinute: readCount("--rpm", flags.rpm, { least: 1 }),
  });
  printNewKey(flags, made);
  if (made.key.apps.length > 0) await warnOfUnknown(made.key, await client.apps());
  return exitCodes.ok;
}

/** A key may come before its app; more often the name is mistyped. */
async function warnOfUnknown(
  { organisation, apps }: KeyDocument,
  there: readonly AppDocument[],
): Promise<void> {
  const own = there.filter((app) => app.organisation === organisation);
  for (const name of apps) {
    if (own.some(({ app }) => app === name)) continue;
    warn(`There is no app ${organisation}/${name} yet; the key is good for it once there is.`);
  }
}

export async function listKeys(words: string[], flags: Flags): Promise<number> {
  noWords("keys list", words);
  const keys = await clientOf(openSession(flags)).keys();
  const now = Date.now();
  const rows = keys.map((key) => [
    key.id,
    key.description ?? "",
    key.scope,
    key.apps.join(",") || "all",
    key.state,
    formatRelativeTime(key.createdAt, now),
    key.expiresAt === undefined ? "Never" : formatRelativeTime(key.expiresAt, now),
    // It is kept to the minute, which may begin before the key does.
    key.lastUsedAt === undefined
      ? "Never"
      : formatRelativeTime(Math.max(key.lastUsedAt, key.createdAt), now),
  ]);
  const headers = [
    "id",
    "description",
    "scope",
    "apps",
    "state",
    "created",
    "expires",
    "last used",
  ];
  printAnswer(flags, {
    document: { keys },
    text: formatTable(headers, rows),
    names: keys.map(({ id }) => id),
  });
  return exitCodes.ok;
}

export async function revokeKey(words: string[], flags: Flags): Promise<number> {
  const id = oneWord("keys revoke", "ID", words);
  const key = await clientOf(openSession(flags)).revokeKey(id, { hard: flags.hard === true });
  printAnswer(flags, { document: key, text: `revoked key ${key.id}\n`, names: [key.id] });
  return exitCodes.ok;
}

export async function rotateKey(words: string[], flags: Flags): Promise<number> {
  const id = oneWord("keys rotate", "ID", words);
  const grace = flags.grace ?? usualGrace;
  const graceMs = readTime("--grace", grace) ?? 0;
  const made = await clientOf(openSession(flags)).rotateKey(id, { graceMs });
  printNewKey(flags, made);
  tell(flags, `The old one, ${id}, works for ${grace} more.`);
  return exitCodes.ok;
}

/** The token alone is on standard output, so that a shell can take it. */
function printNewKey(flags: Flags, { key, token }: NewKeyDocument): void {
  printAnswer(flags, { document: { ...key, token }, text: `${token}\n`, names: [token] });
  if (!flags.json) tell(flags, `${sentence(key)} It is shown this once.`);
}

function sentence({ id, scope, apps, expiresAt }: KeyDocument): string {
  const place = apps.length === 0 ? "all apps" : apps.join(", ");
  const end =
    expiresAt === undefined
      ? "never expires"
      : `expires ${formatRelativeTime(expiresAt, Date.now())}`;
  return `Key ${id} with scope ${scope} for ${place}; it ${end}.`;
}
