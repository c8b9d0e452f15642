// Promotion: an app's active revision, deployed to the same app of another environment.
import { ProductError } from "../../base/product-error.ts";
import type { DeployEvent, DeploymentRequest, PromoteRequest } from "../admin/documents.ts";
import { environmentOf, inEnvironment } from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import { activeRevision, type ControlContext } from "./control-context.ts";
import type { Deployments } from "./deployments.ts";

/**
 * Deploys the script, files and configuration of the source's active revision. Named secrets are those of
 * the target's environment. Values frozen with the target's revision stay; other frozen values come along.
 *
 * @throws ProductError `CLOUD_ENVIRONMENT_UNKNOWN`, `CLOUD_CONFLICT`, and those of a deployment
 */
export async function promote(
  context: ControlContext,
  deployments: Deployments,
  source: AppKey,
  { to, ...how }: PromoteRequest,
  createdBy: string | undefined,
): Promise<AsyncIterable<DeployEvent>> {
  const { store } = context;
  const { organisation } = source;
  store.environments.check(organisation, to);
  const active = activeRevision(context, store.apps.get(source));
  const target = { organisation, app: inEnvironment(source.app, to) };
  if (active === undefined || target.app === source.app) {
    throw new ProductError(cloudErrors.conflict, {
      message:
        active === undefined
          ? `App ${appName(source)} has no active revision to promote.`
          : `App ${appName(source)} is in the environment ${to} already.`,
      hint: "Run `deployctl environments list` to see all environments.",
    });
  }
  const own = store.apps.find(target);
  const theirs = own && activeRevision(context, own);
  const values = store.secrets.frozen(active);
  const kept = theirs === undefined ? {} : store.secrets.frozen(theirs);
  const secrets = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, kept[name] ?? value]),
  );
  const before = theirs && [
    ...Object.keys({ ...theirs.config.environment, ...kept }),
    ...theirs.config.secretNames,
  ];
  const from = `${active.revision} of ${environmentOf(source.app)}`;
  const request: DeploymentRequest = {
    ...how,
    name: target.app,
    inspection: active.inspection,
    config: active.config,
    bundle: { script: active.script, files: store.bundles.read(active.bundle) },
    secrets,
    // The revision replaces the target's, with all its variables.
    unset: before,
    message: active.message ?? `Promoted from ${from}`,
    annotations: { ...active.annotations, promoted_from: from },
  };
  return await deployments.deploy(request, { organisation, createdBy });
}
