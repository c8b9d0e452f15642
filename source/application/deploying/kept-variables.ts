// Variables and secrets that an app keeps when it is deployed again without them.
import { ProductError } from "../../base/product-error.ts";
import type { AdminClient, AppReference } from "../../cloud/admin/admin-client.ts";
import type { RevisionDocument } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";
import { givenNames } from "../../cloud/variable-changes.ts";

/** App of a server, as its next deployment finds it. */
export interface DeployedApp {
  /** The active revision; the newest one while none is. */
  revision: RevisionDocument | undefined;
  /** Names of the variables that `env set` has given to the app itself. */
  variables: readonly string[];
}

export interface KeptVariables {
  environment: Record<string, string>;
  /** Secrets stored on the server. */
  secretNames: string[];
  /** Secrets of the revision, whose values only the server has. */
  frozen: string[];
}

/** @returns undefined for an app that does not exist */
export async function readDeployedApp(
  client: Pick<AdminClient, "app" | "revisions" | "variables">,
  app: AppReference,
): Promise<DeployedApp | undefined> {
  try {
    const { revision } = await client.app(app);
    const variables = await client.variables(app);
    return {
      revision: revision ?? (await client.revisions(app))[0],
      variables: variables.map(({ name }) => name),
    };
  } catch (error) {
    const isUnknown = error instanceof ProductError && error.code === cloudErrors.appUnknown.code;
    if (isUnknown) return undefined;
    throw error;
  }
}

/** @param replaced names that the deployment sets, or drops */
export function keptVariables(
  revision: RevisionDocument | undefined,
  replaced: ReadonlySet<string>,
): KeptVariables {
  if (revision === undefined) return { environment: {}, secretNames: [], frozen: [] };
  const { config } = revision;
  const names = givenNames(variablesOf(revision)).filter((name) => !replaced.has(name));
  const values = Object.entries(config.environment).filter(([name]) => names.includes(name));
  return {
    environment: Object.fromEntries(values),
    secretNames: config.secretNames.filter((name) => names.includes(name)),
    frozen: revision.secrets.filter((name) => names.includes(name)),
  };
}

/** The values of its own secrets are not known here. */
export function variablesOf({ config, secrets }: RevisionDocument) {
  return { config, frozen: Object.fromEntries(secrets.map((name) => [name, "earlier"])) };
}

/** Returns kept secrets that the script does not read, and that another script may have needed. */
export function unreadSecrets(
  { secretNames, frozen }: KeptVariables,
  { env_read, config }: Inspection,
): string[] {
  const own: unknown[] = Array.isArray(config.secrets) ? config.secrets : [];
  const read = new Set<unknown>([...env_read.map(({ name }) => name), ...own]);
  return [...new Set([...secretNames, ...frozen])].filter((name) => !read.has(name));
}

/** Reports names of `--unset` without effect. */
export function unsetWarnings(unset: readonly string[], deployed: DeployedApp | undefined) {
  const revision = deployed?.revision;
  const known = new Set(revision === undefined ? [] : givenNames(variablesOf(revision)));
  return unset
    .filter((name) => !known.has(name) || deployed?.variables.includes(name))
    .map((name) =>
      deployed?.variables.includes(name)
        ? `${name} is still set for the app itself; remove it with deployctl env unset.`
        : `${name} is not set by an earlier deployment, so --unset has no effect.`,
    );
}

/** @param names of `unreadSecrets` */
export function keepQuestion(names: readonly string[]): string {
  const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${names.join(", ")} ${are} kept from the active revision, but the script does not read ${them}. Keep ${them}?`;
}

/** @param names of `unreadSecrets` */
export function secretsUnread(names: readonly string[]): ProductError {
  const unset = names.map((name) => `--unset ${name}`).join(" ");
  const are = names.length === 1 ? "is a secret" : "are secrets";
  return new ProductError(cloudErrors.secretsUnread, {
    message: `${names.join(", ")} ${are} of the active revision that the new script does not read.`,
    hint: `Use --keep-secrets to keep ${names.length === 1 ? "it" : "them"}, or ${unset}.`,
  });
}
