// Documents of Ray's REST API, as far as they are used here.
import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";

const text = Type.Union([Type.String(), Type.Null()]);

export const versionSchema = Type.Object({ ray_version: Type.String(), session_name: text });

/** Replica of a deployment; node and actor are known once it was placed. */
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

export const serveSchema = Type.Object({
  applications: Type.Record(Type.String(), applicationSchema),
  /** Set once Serve was started. */
  http_options: Type.Optional(
    Type.Union([Type.Object({ port: Type.Optional(Type.Integer()) }), Type.Null()]),
  ),
});

export const nodesSchema = Type.Object({
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

export const jobSchema = Type.Object({
  submission_id: Type.String(),
  status: Type.Optional(Type.String()),
  message: Type.Optional(text),
});

export const jobOutputSchema = Type.Object({ logs: Type.String() });

/** Job; `status` ends as `SUCCEEDED`, `FAILED` or `STOPPED`. */
export type RayJob = Static<typeof jobSchema>;
export type ServeApplicationState = Static<typeof applicationSchema>;
export type ServeState = Static<typeof serveSchema>;

/** Application in a request to Serve. Some belong to others. */
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

/** @param usage the dashboard's summary, the only place that tells what is in use by node */
export function nodesOf(list: Static<typeof nodesSchema>, usage: unknown): RayNode[] {
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

/** Reads lines such as `1.0/8.0 CPU`; memory, with its units, is left out. */
function readUsage(lines: string): Record<string, number> {
  const found = lines.matchAll(/^\s*([\d.]+)\/[\d.]+ (\S+)/gm);
  return Object.fromEntries([...found].map(([, used, name]) => [name, Number(used)]));
}
