// A key that an app's address accepts, for a chat or a test request from here.
import type { AdminClient } from "../cloud/admin/admin-client.ts";
import type { AppDocument, KeyDocument } from "../cloud/admin/documents.ts";
import { readKeyToken } from "../cloud/keys/token-check.ts";

/** Limits the lifetime of a key that is left behind. */
const lifeMs = 24 * 3_600_000;

/**
 * @param own tokens that are at hand; the first that is good for the app is used
 * @returns undefined for an app that asks for none
 */
export async function callKey(
  client: Pick<AdminClient, "keys" | "createKey">,
  { organisation, app, auth }: Pick<AppDocument, "organisation" | "app" | "auth">,
  own: readonly (string | undefined)[],
): Promise<string | undefined> {
  if (auth === "public") return undefined;
  const tokens = own.filter((token) => token !== undefined);
  const keys = tokens.length === 0 ? [] : await client.keys();
  const good = tokens.find((token) => {
    const id = readKeyToken(token)?.id;
    const key = keys.find((candidate) => candidate.id === id);
    return key !== undefined && isGoodFor(key, organisation, app);
  });
  if (good !== undefined) return good;
  const made = await client.createKey({
    organisation,
    scope: "api",
    apps: [app],
    description: "chat from the console",
    expiresInMs: lifeMs,
  });
  return made.token;
}

function isGoodFor(key: KeyDocument, organisation: string, app: string): boolean {
  const { state, scope, apps } = key;
  return (
    state === "active" &&
    scope !== "api:read" &&
    key.organisation === organisation &&
    (apps.length === 0 || apps.includes(app))
  );
}
