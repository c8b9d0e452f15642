// Snapshot of the variables that a script reads, so that later replicas get the values at
// deployment.
import type { Inspection } from "./inspection.ts";

export interface EnvironmentSnapshot {
  environment: Record<string, string>;
  /** Values of variables whose names look secret; stored encrypted, never shown. */
  secrets: Record<string, string>;
}

/** Matches names such as HF_TOKEN and OPENAI_API_KEY. */
export function looksSecret(name: string): boolean {
  return /key|token|secret|password|passwd|credential/i.test(name);
}

/** @param environment the environment of the inspection */
export function environmentSnapshot(
  { env_read }: Pick<Inspection, "env_read">,
  environment: NodeJS.ProcessEnv,
): EnvironmentSnapshot {
  const values = env_read.flatMap(({ name }) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    environment: Object.fromEntries(values.filter(([name]) => !looksSecret(name))),
    secrets: Object.fromEntries(values.filter(([name]) => looksSecret(name))),
  };
}
