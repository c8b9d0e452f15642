// Facts for the deploy and console screens: names, configuration and scale of an app, a key to call
// it, the capacity of this machine.
import { availableParallelism, freemem, totalmem } from "node:os";
import { freeSpace } from "../../base/free-space.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type { AppDocument, KeyDocument } from "../../cloud/admin/documents.ts";
import type { AppConfig, ScaleSettings } from "../../cloud/app-config.ts";
import { environmentOf, fitsEnvironment, inEnvironment, nameFault } from "../../cloud/app-name.ts";
import { wantedReplicas } from "../../cloud/autoscaler/decide.ts";
import { availableMemoryBytes } from "../../cloud/engines/process/memory-pressure.ts";
import { type ConfigFlags, configFrom } from "../../cloud/inspection/config-from.ts";
import { looksSecret } from "../../cloud/inspection/environment-snapshot.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";
import { keyCovers } from "../../cloud/keys/cloud-key.ts";
import { readKeyToken } from "../../cloud/keys/token-check.ts";
import { GpuReader } from "../../metrics/gpu-sample.ts";

export { environmentOf, suggestName as appNameFor } from "../../cloud/app-name.ts";
export { looksSecret as isSecretVariable } from "../../cloud/inspection/environment-snapshot.ts";

/** Limits the lifetime of a key that is left behind. */
const keyLifeMs = 24 * 3_600_000;

export interface MachineCapacity {
  processors: number;
  memory: { totalBytes: number; freeBytes: number };
  diskFreeBytes: number;
  gpus: { name: string; memoryBytes: number }[];
}

/** Returns why a name is refused in an environment, as the end of a sentence; undefined for a valid one. */
export function appNameFault(name: string, environment: string): string | undefined {
  const fault = nameFault("app", name);
  if (fault !== undefined) return fault;
  if (fitsEnvironment(name, environment)) return nameFault("app", appNameIn(name, environment));
  return `is one of the environment ${environmentOf(name)}, not of ${environment}`;
}

/** Returns an app's name in an environment; one of another environment stays as it is. */
export function appNameIn(name: string, environment: string): string {
  return name !== "" && fitsEnvironment(name, environment)
    ? inEnvironment(name, environment)
    : name;
}

/**
 * Returns the configuration that `prepareDeployment` would send.
 *
 * @throws ProductError `CLOUD_CONFIG_INVALID`, `CLOUD_SCRIPT_INVALID`
 */
export function configFor(inspection: Inspection, wishes: ConfigFlags): AppConfig {
  const variables = Object.entries(wishes.environment ?? {});
  const environment = Object.fromEntries(variables.filter(([name]) => !looksSecret(name)));
  return configFrom(inspection, { ...wishes, environment });
}

/** Computes the replicas for this many concurrent requests, and how many requests would queue. */
export function previewScale(
  scale: ScaleSettings,
  demand: number,
): { replicas: number; queued: number } {
  const replicas = wantedReplicas(scale, demand);
  return { replicas, queued: Math.max(0, demand - replicas * scale.maxMultiplexing) };
}

/**
 * Returns a key for a chat or a test request: one of those at hand, or a new one.
 *
 * @param own tokens at hand; the first that the app accepts is used
 * @returns undefined for an app that needs no key
 */
export async function callKey(
  client: Pick<AdminClient, "keys" | "createKey">,
  { organisation, app, auth }: Pick<AppDocument, "organisation" | "app" | "auth">,
  own: readonly (string | undefined)[],
): Promise<string | undefined> {
  if (auth === "public") return undefined;
  const tokens = own.filter((token) => token !== undefined);
  const keys = tokens.length === 0 ? [] : await client.keys();
  const accepted = tokens.find((token) => {
    const id = readKeyToken(token)?.id;
    const key = keys.find((candidate) => candidate.id === id);
    return key !== undefined && isAccepted(key, organisation, app);
  });
  if (accepted !== undefined) return accepted;
  const made = await client.createKey({
    organisation,
    scope: "api",
    apps: [app],
    description: "chat from the console",
    expiresInMs: keyLifeMs,
  });
  return made.token;
}

function isAccepted(key: KeyDocument, organisation: string, app: string): boolean {
  return (
    key.state === "active" &&
    key.organisation === organisation &&
    keyCovers(key, { organisation, app, method: "POST" })
  );
}

/** @param stateFolder of the server; it may not exist yet */
export async function machineCapacity(stateFolder: string): Promise<MachineCapacity> {
  const [cards, diskFreeBytes = 0] = await Promise.all([
    new GpuReader().read(),
    freeSpace(stateFolder),
  ]);
  return {
    processors: availableParallelism(),
    memory: { totalBytes: totalmem(), freeBytes: availableMemoryBytes() ?? freemem() },
    diskFreeBytes,
    gpus: cards.map(({ name, memoryTotalBytes = 0 }) => ({ name, memoryBytes: memoryTotalBytes })),
  };
}
