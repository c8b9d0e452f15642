// Engine plan of a stored revision, with the app's variables and secrets.
import { ProductError } from "../../base/product-error.ts";
import { environmentOf, mainEnvironment } from "../app-name.ts";
import type { RevisionPlan } from "../engines/engine.ts";
import { cloudErrors } from "../errors.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import type { RevisionRecord } from "../state/revision-records.ts";

export function planOf(store: CloudStore, revision: RevisionRecord): RevisionPlan {
  const variables = store.secrets.variables(revision);
  const environment = {
    ...revision.config.environment,
    ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
  };
  return {
    organisation: revision.organisation,
    app: revision.app,
    revision: revision.revision,
    bundleFolder: store.bundles.folderOf(revision.bundle),
    script: revision.script,
    target: revision.target,
    config: { ...revision.config, environment },
  };
}

/**
 * Returns the secrets frozen with the revision, and those that it names in the app's environment. A frozen
 * value wins.
 *
 * @throws ProductError `CLOUD_SECRET_UNKNOWN`
 */
export function secretsOf(store: CloudStore, revision: RevisionRecord): Record<string, string> {
  const frozen = store.secrets.frozen(revision);
  const named = revision.config.secretNames.map((name) => {
    const value = frozen[name] ?? store.secrets.secret(revision, name);
    if (value === undefined) throw missing(name, revision.app);
    return [name, value] as const;
  });
  return { ...frozen, ...Object.fromEntries(named) };
}

/** Returns the Authorization header that the gateway sends instead of the caller's. */
export function upstreamAuthorization(
  store: CloudStore,
  revision: RevisionRecord,
): string | undefined {
  const name = revision.config.upstreamAuthorizationSecret;
  if (name === undefined) return undefined;
  return store.secrets.frozen(revision)[name] ?? store.secrets.secret(revision, name);
}

/** Returns the flag for commands on an app's environment; empty for `main`. */
function environmentFlag(app: string): string {
  const environment = environmentOf(app);
  return environment === mainEnvironment ? "" : ` --environment ${environment}`;
}

function missing(name: string, app: string): ProductError {
  return new ProductError(cloudErrors.secretUnknown, {
    message: `App ${app} needs the secret ${name}, which is not set.`,
    hint: `Set it with \`deployctl secrets set ${name}${environmentFlag(app)}\`.`,
  });
}
