// Events of a detached deployment, which end after its build.
import type { DeployEvent, DeployResult } from "../admin/documents.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { ControlContext } from "./control-context.ts";
import type { Documents } from "./documents-of.ts";

export async function* untilBuilt(
  { store }: ControlContext,
  documents: Documents,
  key: AppKey,
  events: AsyncGenerator<DeployEvent>,
): AsyncGenerator<DeployEvent> {
  for await (const event of events) {
    if (event.kind !== "phase" || event.phase !== "start") {
      yield event;
      continue;
    }
    const app = store.apps.get(key);
    const { url, auth, activeRevision } = documents.details(app);
    const result: DeployResult = {
      app: appName(key),
      revision: app.rollout?.revision ?? activeRevision ?? "",
      status: "rolling_out",
      url,
      auth,
      cold_start_ms: undefined,
      previous: activeRevision,
      warnings: [],
    };
    yield { kind: "done", result };
    return;
  }
}
