// Serve application of one replica: its name, its document, and what Serve says about it.
import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";
import { isRecord } from "../../../base/json.ts";
import type { ReplicaRequest } from "../engine.ts";
import { bundleFolder } from "./bundle-package.ts";
import type { RayResources } from "./node-resources.ts";
import type { ServeApplication, ServeApplicationState } from "./ray-documents.ts";

const labelsSchema = Type.Object({
  replica: Type.String(),
  organisation: Type.String(),
  app: Type.String(),
  revision: Type.String(),
  healthPath: Type.String(),
  healthStatus: Type.Optional(Type.Integer()),
  startupTimeoutMs: Type.Number(),
  /** Milliseconds since 1970. */
  startedAt: Type.Number(),
});

/** Facts of a replica that its application carries, so that a new control plane can adopt it. */
export type ReplicaLabels = Static<typeof labelsSchema>;

export interface ApplicationOptions {
  /** Distinguishes this server's applications from others. */
  owner: string;
  packageName: string;
  labels: ReplicaLabels;
  resources: RayResources;
}

/** State of an application with one replica, as Serve reports it. */
export interface ApplicationState {
  phase: "starting" | "running" | "failed" | "deleting";
  message: string;
  /** The replica, once it was placed on a node. */
  placed: { id: string; actor: string; node: string; isRunning: boolean } | undefined;
}

const importPath = "deployctl_ray_wrapper:build";
/** The gateway limits the requests of a replica; Serve's own limit must not be reached. */
const maxRequests = 10_000;
/** Time for Serve to notice that a replica has ended, beside that of the script. */
const serveGraceMs = 5_000;

export function applicationName(owner: string, replica: string): string {
  return `${ownPrefix(owner)}${replica}`;
}

/** Returns the beginning of all names of a server's applications. */
export function ownPrefix(owner: string): string {
  return `dctl-${owner}-`;
}

/** @param startedAt milliseconds since 1970 */
export function labelsFor({ replica, plan }: ReplicaRequest, startedAt: number): ReplicaLabels {
  const { organisation, app, revision, config } = plan;
  const { healthPath, healthStatus, limits } = config;
  return {
    ...{ replica, organisation, app, revision, healthPath, startedAt },
    startupTimeoutMs: limits.startupTimeoutMs,
    ...(healthStatus !== undefined && { healthStatus }),
  };
}

export function serveApplication(
  { replica, plan, secrets }: ReplicaRequest,
  { owner, packageName, labels, resources }: ApplicationOptions,
): ServeApplication {
  const { script, target, config } = plan;
  const { limits, healthPath, healthStatus, requirements, portRewrite } = config;
  const name = applicationName(owner, replica);
  return {
    name,
    route_prefix: `/${name}`,
    import_path: importPath,
    runtime_env: {
      working_dir: `gcs://${packageName}`,
      ...(requirements.length > 0 && { pip: requirements }),
    },
    args: {
      replica,
      script,
      target,
      bundle: bundleFolder,
      exposed_port: config.exposedPort,
      environment: {
        ...config.environment,
        ...secrets,
        DEPLOYCTL_PORT_REWRITE: portRewrite,
      },
      health_path: healthPath,
      health_status: healthStatus ?? null,
      ready_timeout_s: limits.startupTimeoutMs / 1000,
      termination_grace_s: limits.terminationGraceMs / 1000,
      graceful_shutdown_timeout_s: (limits.terminationGraceMs + serveGraceMs) / 1000,
      max_ongoing_requests: maxRequests,
      resources,
      labels,
    },
  };
}

/** @returns undefined for an application that this engine has not made */
export function labelsOf({
  deployed_app_config,
}: ServeApplicationState): ReplicaLabels | undefined {
  const args = deployed_app_config?.args;
  const labels = isRecord(args) ? args.labels : undefined;
  return Check(labelsSchema, labels) ? labels : undefined;
}

export function stateOf({ status, message, deployments }: ServeApplicationState): ApplicationState {
  const [deployment] = Object.values(deployments);
  const replica = deployment?.replicas?.find(({ state }) => state !== "STOPPING");
  const { replica_id: id, actor_id: actor, node_id: node, state } = replica ?? {};
  return {
    phase: phaseOf(status),
    message: [message, deployment?.message].filter((text) => text).join("\n"),
    placed: id && actor && node ? { id, actor, node, isRunning: state === "RUNNING" } : undefined,
  };
}

function phaseOf(status: string): ApplicationState["phase"] {
  if (status === "RUNNING") return "running";
  if (status === "DEPLOY_FAILED") return "failed";
  return status === "DELETING" ? "deleting" : "starting";
}
