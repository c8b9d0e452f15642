// Facts about an app before it is deployed: its name, its configuration, its scaling.
import type { AppConfig, ScaleSettings } from "../cloud/app-config.ts";
import { nameFault, suggestName } from "../cloud/app-name.ts";
import { wantedReplicas } from "../cloud/autoscaler/decide.ts";
import { type ConfigFlags, configFrom } from "../cloud/inspection/config-from.ts";
import { looksSecret } from "../cloud/inspection/environment-snapshot.ts";
import type { Inspection } from "../cloud/inspection/inspection.ts";

/** @returns why a name is refused, as the end of a sentence; undefined when it may be used */
export function appNameFault(name: string): string | undefined {
  return nameFault("app", name);
}

/** A legal app name that is near a text. */
export function appNameFor(text: string): string {
  return suggestName(text);
}

/** True when a variable's name suggests that its value is a secret. */
export function isSecretVariable(name: string): boolean {
  return looksSecret(name);
}

/**
 * The configuration that `prepareDeployment` would send.
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
