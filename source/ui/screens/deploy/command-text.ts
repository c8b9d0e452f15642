// The deployctl command for the screen's answers.

import type { AppConfig } from "../../../cloud/app-config.ts";
import {
  authOf,
  changedSettings,
  type Given,
  isEphemeral,
  namesIn,
  type Rules,
  referenceOf,
  variablesOf,
} from "./answers.ts";
import { baseOf, type DeployState, profileOf } from "./deploy-state.ts";

/** The command for a shell; undefined as long as the script is not read. */
export function commandOf(state: DeployState, { looksSecret }: Rules): string | undefined {
  const base = baseOf(state);
  return base && commandText(state.given, { base, profile: profileOf(state), looksSecret });
}

export interface CommandFacts {
  readonly base: AppConfig;
  /** Undefined: the one in use. */
  readonly profile: string | undefined;
  readonly looksSecret: Rules["looksSecret"];
}

/** A secret's value is never part of it: the command reads it from a variable. */
export function commandText(given: Given, { base, profile, looksSecret }: CommandFacts): string {
  const isRun = isEphemeral(given);
  const name = given.name ?? "";
  const auth = authOf(given, base);
  const flags = changedSettings(given, base).flatMap(([{ id, flag, step }, text]) => {
    const isOfCommand = !isRun || step !== "scaling" || id === "maxMultiplexing";
    return isOfCommand ? [flag, quoted(text)] : [];
  });
  const variables = Object.entries(variablesOf(given)).flatMap(([variable, value]) => [
    "--env",
    looksSecret(variable) ? `${variable}="$${variable}"` : quoted(`${variable}=${value}`),
  ]);
  return [
    "deployctl",
    isRun ? "run" : "deploy",
    quoted(referenceOf(given)),
    ...(name === "" ? [] : ["--app-name", quoted(name)]),
    ...(profile === undefined ? [] : ["--profile", quoted(profile)]),
    ...(auth === base.auth ? [] : ["--auth", auth]),
    ...variables,
    ...namesIn(given.secretNames).flatMap((secret) => ["--secret", quoted(secret)]),
    ...(given.imageMode === "pip" ? ["--image-mode", "pip"] : []),
    ...flags,
    ...(given.isStatic === "yes" ? ["--static"] : []),
  ].join(" ");
}

function quoted(word: string): string {
  return /^[\w/.:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
