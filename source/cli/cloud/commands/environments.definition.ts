// Definitions of deployctl environments: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { switchFlags, withCommonFlags } from "../flags.ts";

export const environmentCommands = withCommonFlags({
  listEnvironments: {
    name: "environments list",
    aliases: ["environments ls"],
    summary: "List environments, with their apps",
    examples: ["environments list", "environments list --json"],
    docs: "docs/deployctl.md",
  },
  createEnvironment: {
    name: "environments create",
    words: "NAME",
    summary: "Create an environment, for separate apps, secrets and keys",
    flags: { description: { type: "string", value: "TEXT", text: "What it is for" } },
    examples: ["environments create staging", "deploy app.py --environment staging"],
    exitCodes: { 5: "It exists already" },
    docs: "docs/deployctl.md",
  },
  deleteEnvironment: {
    name: "environments delete",
    words: "NAME",
    completes: "environment",
    summary: "Delete an environment without apps, with its secrets",
    examples: ["environments delete staging", "environments list"],
    exitCodes: { 3: "No such environment", 5: "It still has apps" },
    docs: "docs/deployctl.md",
  },
  promoteApp: {
    name: "environments promote",
    words: "APP FROM TO",
    completes: "app",
    completesSecond: "environment",
    summary: "Deploy an app's active revision to another environment",
    details: "Secrets are those of the environment TO. All other settings come along.",
    flags: switchFlags,
    examples: [
      "environments promote chat staging main",
      "environments promote chat main staging --detach",
    ],
    exitCodes: { 3: "No such app or environment", 6: "It does not start there" },
    docs: "docs/deployctl.md",
  },
} as const satisfies CommandTable);
