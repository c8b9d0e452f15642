// deployctl keys create, list, revoke, rotate: keys for callers and administrators.

import { formatRelativeTime, formatRoughDuration } from "../../../base/formats.ts";
import type { AppDocument, KeyDocument, NewKeyDocument } from "../../../cloud/admin/documents.ts";
import { allAppsOf, environmentOf, mainEnvironment } from "../../../cloud/app-name.ts";
import { usageError } from "../../errors.ts";
import { warn } from "../../output.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import type { Flags } from "../flags.ts";
import { printAnswer, tell } from "../print.ts";
import { namedIn } from "../read-values.ts";
import { openSession, settingOf } from "../session.ts";
import { clientOf, listedEnvironment, startedClientOf } from "../target.ts";
import type { keyCommands } from "./keys.definition.ts";

const usualGraceMs = 24 * 3_600_000;

export const createKey: Run<typeof keyCommands.createKey> = async (_words, flags) => {
  const { scope, expires } = flags;
  if (scope === undefined) {
    throw usageError("keys create needs a scope.", "Use --scope api, api:read or admin.");
  }
  if (expires === 0)
    throw usageError("--expires 0 would expire at once.", "Use a time above zero.");
  const session = openSession(flags);
  const client = await startedClientOf(session);
  const environment = settingOf(session, "environment");
  const apps = flags.app
    ?.flatMap((names) => names.split(","))
    .filter((name) => name !== "")
    .map((name) => namedIn(environment, name));
  // Without apps, a key is for those of one environment.
  const isSeparate = environment !== undefined && environment !== mainEnvironment;
  const covered = apps ?? (isSeparate ? [allAppsOf(environment)] : undefined);
  const made = await client.createKey({
    ...{ scope, organisation: settingOf(session, "org"), apps: covered },
    description: flags.desc,
    expiresInMs: expires,
    requestsPerMinute: flags.rpm,
  });
  printNewKey(flags, made);
  if (made.key.apps.length > 0) await warnOfUnknown(made.key, await client.apps());
};

/** Warns of apps that do not exist: their names may be mistyped. */
async function warnOfUnknown(
  { organisation, apps }: KeyDocument,
  there: readonly AppDocument[],
): Promise<void> {
  const own = there.filter((app) => app.organisation === organisation);
  for (const name of apps) {
    if (name.startsWith("*") || own.some(({ app }) => app === name)) continue;
    warn(`App ${organisation}/${name} does not exist yet; the key is valid once it does.`);
  }
}

function coversEnvironment(apps: readonly string[], environment: string | undefined): boolean {
  if (environment === undefined) return true;
  const environments = apps.length === 0 ? [mainEnvironment] : apps.map(environmentOf);
  return environments.includes(environment);
}

export const listKeys: Run<typeof keyCommands.listKeys> = async (_words, flags) => {
  const session = openSession(flags);
  const environment = await listedEnvironment(session);
  const all = await clientOf(session).keys();
  const keys = all.filter(({ apps }) => coversEnvironment(apps, environment));
  const rows = keys.map((key) => [
    key.id,
    key.description ?? "",
    key.scope,
    appsOf(key),
    key.state,
    formatRelativeTime(key.createdAt),
    key.expiresAt === undefined ? "Never" : formatRelativeTime(key.expiresAt),
    // Kept to the minute, which may begin before the key's creation.
    key.lastUsedAt === undefined
      ? "Never"
      : formatRelativeTime(Math.max(key.lastUsedAt, key.createdAt)),
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
};

export const revokeKey: Run<typeof keyCommands.revokeKey> = async ([id], flags) => {
  const key = await clientOf(openSession(flags)).revokeKey(id, { hard: flags.hard === true });
  printAnswer(flags, { document: key, text: `revoked key ${key.id}\n`, names: [key.id] });
};

export const rotateKey: Run<typeof keyCommands.rotateKey> = async ([id], flags) => {
  const { grace: graceMs = usualGraceMs } = flags;
  const made = await clientOf(openSession(flags)).rotateKey(id, { graceMs });
  printNewKey(flags, made);
  const grace = formatRoughDuration(graceMs).toLowerCase();
  tell(flags, `The old key ${id} stays valid for ${grace}.`);
};

/** Prints the token on standard output, and everything else on standard error. */
function printNewKey(flags: Flags, { key, token }: NewKeyDocument): void {
  printAnswer(flags, { document: { ...key, token }, text: `${token}\n`, names: [token] });
  if (!flags.json) tell(flags, `${sentence(key)} It is shown only once.`);
}

function sentence(key: KeyDocument): string {
  const { id, scope, createdAt, expiresAt } = key;
  const end =
    expiresAt === undefined
      ? "never expires"
      : `expires ${formatRelativeTime(expiresAt, createdAt).toLowerCase()}`;
  return `Key ${id} with scope ${scope} for ${appsOf(key)}; it ${end}.`;
}

/** Describes the apps that a key may call. Without names, a key for callers is for those of `main`. */
function appsOf({ scope, apps }: KeyDocument): string {
  if (apps.length === 0) return scope === "admin" ? "all apps" : `all apps of ${mainEnvironment}`;
  const texts = apps.map((app) => {
    const environment = environmentOf(app);
    return app === allAppsOf(environment) ? `all apps of ${environment}` : app;
  });
  return texts.join(", ");
}
