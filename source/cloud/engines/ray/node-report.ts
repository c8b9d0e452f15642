// Report of what each node of a Ray cluster has, by a job that asks all of them.
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";
import { parseJson } from "../../../base/json.ts";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import { pythonFolder } from "../../inspection/python-program.ts";
import { packFolder } from "./bundle-package.ts";
import type { RayClient } from "./ray-client.ts";

const text = Type.Union([Type.String(), Type.Null()]);

/** Report of a node, as nodes.py prints it. */
const reportSchema = Type.Object({
  node_id: Type.String(),
  address: Type.String(),
  is_head: Type.Boolean(),
  /** Versions; null where the node did not answer, or has no such program. */
  python: text,
  ray: text,
  node: text,
  modelctl: text,
  serve_error: text,
  error: text,
});

const linesSchema = Type.Object({ nodes: Type.Array(reportSchema) });

export type NodeReport = Static<typeof reportSchema>;

const part = "deployctl_ray_wrapper";
const entryPoint = `. ${part}/report_nodes.sh`;
/** Longer than nodes.py waits for its nodes. */
const limitMs = 180_000;
const pauseMs = 500;

/**
 * Runs the job, which takes some seconds.
 *
 * @throws ProductError `CLOUD_RAY_REFUSED` if it fails or does not end within three minutes, and
 *   those of the client
 */
export async function reportNodes(client: RayClient): Promise<NodeReport[]> {
  const { name, zip } = packFolder(path.join(pythonFolder(), part), part);
  await client.upload(name, () => zip);
  const job = await client.startJob(entryPoint, name);
  const deadline = Date.now() + limitMs;
  while (true) {
    const { status, message } = await client.jobState(job);
    if (status === "SUCCEEDED") {
      const reports = readReports(await client.jobOutput(job));
      await client.deleteJob(job);
      return reports;
    }
    const isOver = status === "FAILED" || status === "STOPPED";
    if (isOver || Date.now() > deadline) {
      throw failure(isOver ? (message ?? status) : "it did not end");
    }
    await wait(pauseMs);
  }
}

function readReports(output: string): NodeReport[] {
  const line = /^@deployctl (\{"phase": "nodes".*)$/m.exec(output)?.[1];
  const document = line === undefined ? undefined : parseJson(line);
  if (Check(linesSchema, document)) return document.nodes;
  throw failure("it printed no report");
}

function failure(reason: string): ProductError {
  return new ProductError(cloudErrors.rayRefused, {
    message: `The job that examines the nodes of the Ray cluster failed: ${reason}`,
    hint: "Look at the job's log in Ray's dashboard.",
  });
}
