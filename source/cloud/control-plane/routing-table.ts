// The gateway's table, made anew from the records: which app answers, through which replicas.
import type { RoutedApp, RoutedReplica } from "../gateway/traffic.ts";
import type { AppRecord } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { backOffLeftMs, failuresUntilFailed } from "./back-off.ts";
import {
  activeRevision,
  type ControlContext,
  effectiveScale,
  shortageOf,
} from "./control-context.ts";
import { upstreamAuthorization } from "./revision-plan.ts";

export function routingTable(context: ControlContext): RoutedApp[] {
  const living = Map.groupBy(
    context.store.replicas.living(),
    ({ organisation, app }) => `${organisation}/${app}`,
  );
  return context.store.apps.list().flatMap((app) => {
    const active = activeRevision(context, app);
    // Before its first revision is verified nobody has heard of the app.
    if (active === undefined) return [];
    const replicas = living.get(`${app.organisation}/${app.app}`) ?? [];
    return [routedApp(context, app, active, replicas)];
  });
}

function routedApp(
  context: ControlContext,
  app: AppRecord,
  active: RevisionRecord,
  replicas: ReplicaRecord[],
): RoutedApp {
  const { config } = active;
  return {
    organisation: app.organisation,
    app: app.app,
    auth: config.auth,
    // Of a deleted app requests that run go on; the others are told for a day that it is gone.
    state: app.desired === "deleting" ? "deleted" : app.desired,
    revision: active.revision,
    scale: effectiveScale(app, active),
    limits: config.limits,
    coldStart: config.coldStart,
    noWakePaths: config.noWakePaths,
    sseKeepAliveMs: config.sseKeepAliveMs,
    modelsCache: config.modelsCache,
    earlyStream: config.earlyStream,
    upstreamAuthorization: upstreamAuthorization(context.store, active),
    failure: app.rollout?.isHolding ? undefined : failureOf(context, app, active),
    replicas: replicas.flatMap((record) => routedReplica(context, record)),
  };
}

/** Those that drain stay in the table, closed: their requests go on. */
function routedReplica(context: ControlContext, record: ReplicaRecord): RoutedReplica[] {
  const observation = context.observations.get(record.replica);
  if (record.purpose !== "serving" || record.readyAt === undefined) return [];
  if (observation?.endpoint === undefined) return [];
  return [
    {
      replica: record.replica,
      revision: record.revision,
      endpoint: observation.endpoint,
      isOpen: record.stage === "ready" && observation.phase === "ready",
      readyAt: record.readyAt,
    },
  ];
}

/**
 * Said instead of waiting. It ends with the back-off: the next request after that is one more try,
 * so that an app heals whose cause has gone.
 */
function failureOf(
  context: ControlContext,
  app: AppRecord,
  active: RevisionRecord,
): RoutedApp["failure"] {
  const isWaiting = backOffLeftMs(active.notBefore, context.clock.wallMs()) > 0;
  if (active.failures >= failuresUntilFailed && isWaiting) {
    const reason = (active.reason ?? "Its replicas end").replace(/[.]$/, "");
    const sentence = `${reason} (revision ${active.revision}, ${active.failures} times in a row).`;
    return { errorType: "startup_failed", sentence };
  }
  if (context.stateFault() !== undefined) {
    // Where the state lies is nothing for callers.
    const sentence = "No replica can be started: the server cannot write its state.";
    return { errorType: "runner_scheduling_failure", sentence };
  }
  const capacity = shortageOf(context, app)?.capacity;
  if (capacity === undefined || capacity.canEverFit) return undefined;
  const sentence = capacity.reason ?? "This machine has not what a replica asks for.";
  return { errorType: "runner_scheduling_failure", sentence };
}
