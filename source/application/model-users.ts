// Deployments of this machine's server that serve a model of modelctl.
import path from "node:path";
import { AdminClient } from "../cloud/admin/admin-client.ts";
import { cloudPaths } from "../configuration/cloud-settings.ts";
import { adminSocket, isUnreachable } from "./control-plane-process.ts";

/**
 * Returns the apps whose active revision serves a model, as `organisation/app`; none while no server
 * runs.
 *
 * @param isIt true for a name of the model
 * @throws ProductError of the server
 */
export async function appsUsing(isIt: (model: string) => boolean): Promise<string[]> {
  const stateFolder = path.resolve(process.env.DEPLOYCTL_STATE_DIR || cloudPaths().stateFolder);
  const client = new AdminClient({ socketPath: adminSocket(stateFolder) });
  try {
    const apps = await client.apps();
    const details = await Promise.all(
      apps.map(({ organisation, app }) => client.app(`${organisation}/${app}`)),
    );
    return details.flatMap(({ organisation, app, revision }) => {
      const model = revision?.config.model;
      return model !== undefined && isIt(model) ? [`${organisation}/${app}`] : [];
    });
  } catch (error) {
    if (isUnreachable(error)) return [];
    throw error;
  }
}
