// Definitions of deployctl secrets and env: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags, orgFlag } from "../flags.ts";

const appFlags = { ...orgFlag, ...commonFlags };

export const setSecretDefinition = {
  name: "secrets set",
  words: "NAME[=VALUE]…",
  completes: "secret",
  summary: "Set secrets for replicas",
  details:
    "Without VALUE, it is read from standard input, as other users of this machine can see arguments.",
  flags: commonFlags,
  examples: ["secrets set HF_TOKEN", "secrets set HF_TOKEN < token.txt"],
} as const satisfies CommandDefinition;

export const listSecretsDefinition = {
  name: "secrets list",
  aliases: ["secrets ls"],
  words: "",
  summary: "List the names of secrets",
  flags: commonFlags,
  examples: ["secrets list", "secrets list --json"],
} as const satisfies CommandDefinition;

export const unsetSecretDefinition = {
  name: "secrets unset",
  words: "NAME",
  completes: "secret",
  summary: "Delete a secret",
  flags: commonFlags,
  examples: ["secrets unset HF_TOKEN", "secrets list"],
  exitCodes: { 3: "No such secret" },
} as const satisfies CommandDefinition;

export const listVariablesDefinition = {
  name: "env list",
  aliases: ["env ls"],
  words: "APP",
  completes: "app",
  summary: "List an app's own variables",
  flags: appFlags,
  examples: ["env list chat", "env list chat --json"],
  exitCodes: { 3: "No such app" },
} as const satisfies CommandDefinition;

export const setVariablesDefinition = {
  name: "env set",
  words: "APP NAME=VALUE…",
  completes: "app",
  summary: "Set variables, overriding those of the revision",
  details: "Applies to new replicas; `% apps rollout APP` restarts the others.",
  flags: appFlags,
  examples: ["env set chat LOG_LEVEL=debug", "env set chat A=1 B=2"],
  exitCodes: { 3: "No such app" },
} as const satisfies CommandDefinition;

export const unsetVariableDefinition = {
  name: "env unset",
  words: "APP NAME",
  completes: "app",
  summary: "Delete a variable",
  flags: appFlags,
  examples: ["env unset chat LOG_LEVEL", "env list chat"],
  exitCodes: { 3: "No such app or variable" },
} as const satisfies CommandDefinition;
