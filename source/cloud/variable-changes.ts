// Variables and secrets given to an app at a deployment, and how the next deployment changes them.
import type { AppConfig } from "./app-config.ts";

/** Variables of a revision, or of a deployment. */
export interface AppVariables {
  config: Pick<AppConfig, "environment" | "secretNames" | "givenVariables">;
  /** Secrets that belong to the revision: their values, or texts that stand for them. */
  frozen: Readonly<Record<string, string>>;
}

/** Names of variables and secrets, never their values. */
export interface VariableChanges {
  kept: string[];
  added: string[];
  changed: string[];
  removed: string[];
}

/** Returns the names given by flags or a shell; those that a script sets are its own affair. */
export function givenNames({ config, frozen }: AppVariables): string[] {
  return [...new Set([...(config.givenVariables ?? []), ...Object.keys(frozen)])].sort();
}

/** @param kept names that the deployment takes over from the revision before it */
export function variableChanges(
  before: AppVariables | undefined,
  after: AppVariables,
  kept: readonly string[],
): VariableChanges {
  const old = before === undefined ? new Map<string, string>() : textsOf(before);
  const now = textsOf(after);
  const names = [...now.keys()];
  const given = names.filter((name) => !kept.includes(name));
  return {
    kept: names.filter((name) => kept.includes(name)),
    added: given.filter((name) => !old.has(name)),
    changed: given.filter((name) => old.has(name) && old.get(name) !== now.get(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
  };
}

/** Returns texts that are equal for equal values from the same place. */
function textsOf(variables: AppVariables): Map<string, string> {
  const { config, frozen } = variables;
  const textOf = (name: string) => {
    if (frozen[name] !== undefined) return `own ${frozen[name]}`;
    if (config.secretNames.includes(name)) return "stored";
    return `plain ${config.environment[name]}`;
  };
  return new Map(givenNames(variables).map((name) => [name, textOf(name)]));
}
