// Definitions of modelctl cache list, clear: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const listCacheDefinition = {
  name: "cache list",
  aliases: ["cache ls"],
  words: "[MODEL]",
  completes: "model",
  summary: "List prompts stored on disk",
  flags: jsonFlag,
  examples: ["cache list", "cache list my-tiny --json"],
  exitCodes: { 3: "Model not found" },
  docs: "docs/operations.md",
} as const satisfies CommandDefinition;

export const clearCacheDefinition = {
  name: "cache clear",
  synonyms: ["cache rm", "prune"],
  words: "[MODEL]",
  completes: "model",
  summary: "Remove prompts stored on disk",
  details:
    "A loaded model stores the prompts in its memory again; stop it first to remove them all.",
  flags: jsonFlag,
  examples: ["cache clear", "cache clear my-tiny"],
  exitCodes: { 3: "Model not found" },
  docs: "docs/operations.md",
} as const satisfies CommandDefinition;
