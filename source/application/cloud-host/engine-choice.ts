// Choice of the engine of this machine's server: processes on it, or a Ray cluster.
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import type { EngineNode } from "../../cloud/engines/engine.ts";
import {
  type EngineSettings,
  type RaySettings,
  readEngineSettings,
  readToken,
  writeEngineSettings,
} from "../../cloud/engines/engine-settings.ts";
import { checkCluster } from "../../cloud/engines/ray/check-cluster.ts";
import { engineNode } from "../../cloud/engines/ray/cluster-nodes.ts";
import { RayClient } from "../../cloud/engines/ray/ray-client.ts";
import { ownPrefix } from "../../cloud/engines/ray/serve-application.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { findControlPlane } from "./cloud-server.ts";

export type EngineReport =
  | { engine: "process" }
  | {
      engine: "ray";
      address: string;
      version: string;
      proxyPort: number;
      /** Serve applications of this server, one for each replica. */
      replicas: number;
      /** Serve applications of others, which are left alone. */
      otherApplications: number;
      nodes: EngineNode[];
    };

export type RayChoice = Omit<RaySettings, "kind" | "owner">;

/**
 * Checks the cluster and makes it the engine from the server's next start on.
 *
 * @throws ProductError of `checkCluster`; `CLOUD_CONFLICT` while the server runs or replicas are left
 */
export async function chooseRay(stateFolder: string, choice: RayChoice): Promise<EngineReport> {
  const earlier = readEarlier(stateFolder);
  const isSame = earlier?.address === choice.address;
  await checkStopped(stateFolder, isSame ? undefined : earlier);
  const owner = isSame ? earlier.owner : randomBytes(4).toString("hex");
  const settings: RaySettings = { kind: "ray", owner, ...choice };
  const report = await reportOn(settings);
  writeEngineSettings(stateFolder, settings);
  return report;
}

/** @throws ProductError `CLOUD_CONFLICT` while the server runs or replicas are left */
export async function chooseProcesses(stateFolder: string): Promise<EngineReport> {
  await checkStopped(stateFolder, readEarlier(stateFolder));
  writeEngineSettings(stateFolder, { kind: "process" });
  return { engine: "process" };
}

/** @throws ProductError of the settings and of `checkCluster` */
export async function examineEngine(stateFolder: string): Promise<EngineReport> {
  return await reportOn(readEngineSettings(stateFolder));
}

export function rayClientOf(settings: RaySettings): RayClient {
  return new RayClient({ address: settings.address, readToken: () => readToken(settings) });
}

async function reportOn(settings: EngineSettings): Promise<EngineReport> {
  if (settings.kind === "process") return { engine: "process" };
  const facts = await checkCluster(rayClientOf(settings), settings);
  const names = Object.keys(facts.serve.applications);
  const ours = names.filter((name) => name.startsWith(ownPrefix(settings.owner)));
  return {
    engine: "ray",
    address: settings.address,
    version: facts.version,
    proxyPort: settings.proxyPort,
    replicas: ours.length,
    otherApplications: names.length - ours.length,
    nodes: facts.nodes.map((node) => engineNode(node, facts.nodes)),
  };
}

/**
 * Replicas of one engine are unknown to the other.
 *
 * @param left cluster that will no longer be used
 */
async function checkStopped(stateFolder: string, left: RaySettings | undefined): Promise<void> {
  const status = existsSync(stateFolder) ? await findControlPlane(stateFolder) : undefined;
  if (status !== undefined) {
    throw new ProductError(cloudErrors.conflict, {
      message: "The server is running, with the engine that it was started with",
      hint: "Stop it with deployctl down, then choose the engine.",
    });
  }
  const records = path.join(stateFolder, "run");
  const hasProcesses =
    existsSync(records) && readdirSync(records).some((name) => name.endsWith(".json"));
  if (!hasProcesses && (left === undefined || !(await hasApplications(left)))) return;
  throw new ProductError(cloudErrors.conflict, {
    message: "Replicas of this server are still running",
    hint: "Run deployctl up, then deployctl down, which stops them.",
  });
}

/** A cluster that is gone has none. */
async function hasApplications(settings: RaySettings): Promise<boolean> {
  try {
    const { applications } = await rayClientOf(settings).serve();
    return Object.keys(applications).some((name) => name.startsWith(ownPrefix(settings.owner)));
  } catch (error) {
    if (error instanceof ProductError) return false;
    throw error;
  }
}

/** A damaged file must not prevent another choice. */
function readEarlier(stateFolder: string): RaySettings | undefined {
  try {
    const settings = readEngineSettings(stateFolder);
    return settings.kind === "ray" ? settings : undefined;
  } catch {
    return undefined;
  }
}
