// modelctl cache list, clear: their words, flags and help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const listCacheDefinition = {
  name: "cache list",
  aliases: ["cache ls"],
  words: "[MODEL]",
  completes: "model",
  summary: "List prompts that are stored on disk",
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
  summary: "Remove prompts that are stored on disk",
  details:
    "A model that is loaded stores again what it still remembers: stop it first to be rid of that.",
  flags: jsonFlag,
  examples: ["cache clear", "cache clear my-tiny"],
  exitCodes: { 3: "Model not found" },
  docs: "docs/operations.md",
} as const satisfies CommandDefinition;
