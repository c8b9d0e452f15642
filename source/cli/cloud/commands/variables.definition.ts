// Definitions of deployctl secrets and env: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { orgFlag, withCommonFlags } from "../flags.ts";

export const variableCommands = withCommonFlags({
  setSecret: {
    name: "secrets set",
    words: "NAME[=VALUE]…",
    completes: "secret",
    summary: "Set secrets for replicas",
    details:
      "Without VALUE, it is read from standard input, as other users of this machine can see arguments.",
    examples: ["secrets set HF_TOKEN", "secrets set HF_TOKEN < token.txt"],
  },
  listSecrets: {
    name: "secrets list",
    aliases: ["secrets ls"],
    summary: "List the names of secrets",
    examples: ["secrets list", "secrets list --json"],
  },
  unsetSecret: {
    name: "secrets unset",
    words: "NAME",
    completes: "secret",
    summary: "Delete a secret",
    examples: ["secrets unset HF_TOKEN", "secrets list"],
    exitCodes: { 3: "No such secret" },
  },
  listVariables: {
    name: "env list",
    aliases: ["env ls"],
    words: "APP",
    completes: "app",
    summary: "List an app's own variables",
    flags: orgFlag,
    examples: ["env list chat", "env list chat --json"],
    exitCodes: { 3: "No such app" },
  },
  setVariables: {
    name: "env set",
    words: "APP NAME=VALUE…",
    completes: "app",
    summary: "Set variables, overriding those of the revision",
    details: "Applies to new replicas; `% apps rollout APP` restarts the others.",
    flags: orgFlag,
    examples: ["env set chat LOG_LEVEL=debug", "env set chat A=1 B=2"],
    exitCodes: { 3: "No such app" },
  },
  unsetVariable: {
    name: "env unset",
    words: "APP NAME",
    completes: "app",
    summary: "Delete a variable",
    flags: orgFlag,
    examples: ["env unset chat LOG_LEVEL", "env list chat"],
    exitCodes: { 3: "No such app or variable" },
  },
} as const satisfies CommandTable);
