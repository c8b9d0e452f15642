// Documents of Ray's REST API, as far as they are used here.
import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";

const text = Type.Union([Type.String(), Type.Null()]);

const versionSchema = Type.Object({ ray_version: Type.String(), session_name: text });

const replicaSchema = Type.Object({
  replica_id: Type.String(),
  state: Type.String(),
  node_id: Type.Optional(text),
  actor_id: Type.Optional(text),
});

const applicationSchema = Type.Object({
  status: Type.String(),
  message: Type.Optional(text),
  deployed_app_config: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  ),
  deployments: Type.Record(
    Type.String(),
    Type.Object({
      message: Type.Optional(text),
      replicas: Type.Optional(Type.Array(replicaSchema)),
    }),
  ),
});

const serveSchema = Type.Object({
  applications: Type.Record(Type.String(), applicationSchema),
  /** Set once Serve was started. */
  http_options: Type.Optional(
    Type.Union([Type.Object({ port: Type.Optional(Type.Integer()) }), Type.Null()]),
  ),
});

const nodesSchema = Type.Object({
  data: Type.Object({
    result: Type.Object({
      result: Type.Array(
        Type.Object({
          node_id: Type.String(),
          node_ip: Type.String(),
          is_head_node: Type.Optional(Type.Boolean()),
          state: Type.String(),
          resources_total: Type.Optional(
            Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()]),
          ),
        }),
      ),
    }),
  }),
});

const usageSchema = Type.Object({
  data: Type.Object({ nodeLogicalResources: Type.Record(Type.String(), Type.String()) }),
});

const jobSchema = Type.Object({
  submission_id: Type.String(),
  status: Type.Optional(Type.String()),
  message: Type.Optional(text),
});

const jobOutputSchema = Type.Object({ logs: Type.String() });

/** Job; `status` ends as `SUCCEEDED`, `FAILED` or `STOPPED`. */
export type RayJob = Static<typeof jobSchema>;
/** Replica of a deployment; node and actor are known once it was placed. */
export type ServeReplica = Static<typeof replicaSchema>;
export type ServeApplicationState = Static<typeof applicationSchema>;
export type ServeState = Static<typeof serveSchema>;

/** Application as Serve is asked for it, of ours or of others. */
export interface ServeApplication {
  name: string;
  [field: string]: unknown;
}

export interface ServeDeployment {
  proxy_location: "HeadOnly" | "EveryNode";
  http_options: { host: string; port: number };
  applications: ServeApplication[];
}

export interface RayVersion {
  /** Such as `2.58.0`. */
  version: string;
  /** Changes when the head node is started again, which loses applications and packages. */
  session: string;
}

export interface RayNode {
  id: string;
  ip: string;
  isHead: boolean;
  /** Amounts by resource, such as `CPU`, `GPU`, `accelerator_type:H100`. */
  total: Readonly<Record<string, number>>;
  used: Readonly<Record<string, number>>;
}

/** @returns undefined for anything else, as do all functions here */
export function readVersion(json: string): RayVersion | undefined {
  const value = parseJson(json);
  if (!Check(versionSchema, value)) return undefined;
  return { version: value.ray_version, session: value.session_name ?? "" };
}

export function readServe(json: string): ServeState | undefined {
  const value = parseJson(json);
  return Check(serveSchema, value) ? value : undefined;
}

/** @param usageJson the dashboard's summary, the only place that tells what is in use by node */
export function readNodes(json: string, usageJson: string): RayNode[] | undefined {
  const list = parseJson(json);
  const usage = parseJson(usageJson);
  if (!Check(nodesSchema, list)) return undefined;
  const used = Check(usageSchema, usage) ? usage.data.nodeLogicalResources : {};
  return list.data.result.result
    .filter(({ state }) => state === "ALIVE")
    .map((node) => ({
      id: node.node_id,
      ip: node.node_ip,
      isHead: node.is_head_node ?? false,
      total: node.resources_total ?? {},
      used: readUsage(used[node.node_id] ?? ""),
    }));
}

export function readJob(json: string): RayJob | undefined {
  const value = parseJson(json);
  return Check(jobSchema, value) ? value : undefined;
}

export function readJobOutput(json: string): string | undefined {
  const value = parseJson(json);
  return Check(jobOutputSchema, value) ? value.logs : undefined;
}

/** Reads lines such as `1.0/8.0 CPU`; memory, with its units, is left out. */
function readUsage(lines: string): Record<string, number> {
  const found = lines.matchAll(/^\s*([\d.]+)\/[\d.]+ (\S+)/gm);
  return Object.fromEntries([...found].map(([, used, name]) => [name, Number(used)]));
}

/** @returns undefined for a text that is no JSON */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
