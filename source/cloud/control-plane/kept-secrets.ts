// Secrets that an app keeps from its previous revision, added to a deployment request.
import { ProductError } from "../../base/product-error.ts";
import type { DeploymentRequest } from "../admin/documents.ts";
import { cloudErrors } from "../errors.ts";
import type { AppKey } from "../state/app-records.ts";
import { type AppVariables, type VariableChanges, variableChanges } from "../variable-changes.ts";
import { activeRevision, type ControlContext } from "./control-context.ts";

/** Request with all values, and its changes to the app's variables. */
export interface WholeRequest {
  whole: DeploymentRequest;
  changes: VariableChanges;
}

/**
 * Adds the secrets that the request keeps, whose values only the server has.
 *
 * @throws ProductError `CLOUD_CONFLICT` for a request that neither keeps, sets nor unsets a variable or
 *   secret; another deployment may have added it meanwhile
 */
export function withKeptSecrets(
  context: ControlContext,
  key: AppKey,
  request: DeploymentRequest,
): WholeRequest {
  const { config, kept = [], unset = [] } = request;
  const before = variablesBefore(context, key);
  const taken = Object.entries(before?.frozen ?? {}).filter(([name]) => kept.includes(name));
  const secrets = { ...Object.fromEntries(taken), ...request.secrets };
  const changes = variableChanges(before, { config, frozen: secrets }, kept);
  const set = new Set([
    ...Object.keys({ ...config.environment, ...secrets }),
    ...config.secretNames,
  ]);
  const dropped = changes.removed.filter((name) => !set.has(name) && !unset.includes(name));
  if (dropped.length > 0) {
    throw new ProductError(cloudErrors.conflict, {
      message: `The app has variables that this deployment does not mention: ${dropped.join(", ")}.`,
      hint: "Deploy again to keep them, or use --unset NAME.",
    });
  }
  return { whole: { ...request, secrets }, changes };
}

/** Returns the variables of the active revision; of the newest one while none is active. */
function variablesBefore(context: ControlContext, key: AppKey): AppVariables | undefined {
  const { store } = context;
  const app = store.apps.find(key);
  if (app === undefined || app.desired === "deleted") return undefined;
  const revision = activeRevision(context, app) ?? store.revisions.list(app)[0];
  return revision && { config: revision.config, frozen: store.secrets.frozen(revision) };
}
