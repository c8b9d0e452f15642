// Routes that the control plane publishes to the gateway, derived from stored records.
import type { RoutedApp, RoutedCandidate, RoutedReplica } from "../gateway/traffic.ts";
import type { AppRecord } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { backOffLeftMs, failuresUntilFailed } from "./back-off.ts";
import {
  activeRevision,
  type ControlContext,
  candidateRevision,
  candidateShortage,
  effectiveScale,
  servingRevisions,
  shortageOf,
} from "./control-context.ts";
import { upstreamAuthorization } from "./revision-plan.ts";

export function publishedRoutes(context: ControlContext): RoutedApp[] {
  const living = Map.groupBy(
    context.store.replicas.living(),
    ({ organisation, app }) => `${organisation}/${app}`,
  );
  return context.store.apps.list().flatMap((app) => {
    const active = activeRevision(context, app);
    // An app is unknown to callers until its first revision is verified.
    if (active === undefined) return [];
    const replicas = living.get(`${app.organisation}/${app.app}`) ?? [];
    return [routedApp(context, app, active, replicas)];
  });
}

/** Variable that enables vLLM's development routes, of which sleep is one. */
const vllmDevelopment = "VLLM_SERVER_DEV_MODE";

function routedApp(
  context: ControlContext,
  app: AppRecord,
  active: RevisionRecord,
  replicas: ReplicaRecord[],
): RoutedApp {
  const { config } = active;
  const scale = effectiveScale(app, active);
  return {
    organisation: app.organisation,
    app: app.app,
    auth: config.auth,
    // A deleted app finishes running requests; new ones get 410 for a day.
    state: app.desired === "deleting" ? "deleted" : app.desired,
    revision: active.revision,
    scale,
    limits: config.limits,
    coldStart: config.coldStart,
    noWakePaths: config.noWakePaths,
    sseKeepAliveMs: config.sseKeepAliveMs,
    modelsCache: config.modelsCache,
    earlyStream: config.earlyStream,
    upstreamAuthorization: upstreamAuthorization(context.store, active),
    reservesSleep: servingRevisions(context, app).some(({ config: { environment } }) => {
      return scale.sleepAfterMs !== undefined || vllmDevelopment in environment;
    }),
    failure: app.rollout?.isHolding ? undefined : failureOf(context, app, active),
    candidate: routedCandidate(context, app),
    replicas: replicas.flatMap((record) => routedReplica(context, record)),
  };
}

function routedCandidate(context: ControlContext, app: AppRecord): RoutedCandidate | undefined {
  const revision = candidateRevision(context, app);
  if (revision === undefined || app.traffic === undefined) return undefined;
  const isWaiting = backOffLeftMs(revision.notBefore, context.clock.wallMs()) > 0;
  const isShort = context.shortages.has(candidateShortage(app, revision.revision));
  return {
    revision: revision.revision,
    percent: app.traffic.percent,
    maxMultiplexing: effectiveScale(app, revision).maxMultiplexing,
    upstreamAuthorization: upstreamAuthorization(context.store, revision),
    canStart: !isWaiting && !isShort && context.stateFault() === undefined,
  };
}

/** Draining replicas stay in the table, closed, so that running requests continue. */
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
 * Returns the error that callers get instead of waiting. It ends with the back-off: the next
 * request after that triggers another attempt, so that an app recovers once the cause is gone.
 */
function failureOf(
  context: ControlContext,
  app: AppRecord,
  active: RevisionRecord,
): RoutedApp["failure"] {
  const isWaiting = backOffLeftMs(active.notBefore, context.clock.wallMs()) > 0;
  if (active.failures >= failuresUntilFailed && isWaiting) {
    const reason = (active.reason ?? "Its replicas exit").replace(/[.]$/, "");
    const sentence = `${reason} (revision ${active.revision}, ${active.failures} times in a row).`;
    return { errorType: "startup_failed", sentence };
  }
  if (context.stateFault() !== undefined) {
    // Callers are not told the path of the state folder.
    const sentence = "Cannot start a replica: the server cannot write its state.";
    return { errorType: "runner_scheduling_failure", sentence };
  }
  const capacity = shortageOf(context, app)?.capacity;
  if (capacity === undefined || capacity.canEverFit) return undefined;
  const sentence = capacity.reason ?? "This machine lacks the resources that a replica needs.";
  return { errorType: "runner_scheduling_failure", sentence };
}
