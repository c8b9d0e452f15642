// Definition of modelctl ps: arguments, flags, help.
import { jsonFlag, serverFlags } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const psDefinition = {
  name: "ps",
  synonyms: ["status", "loaded"],
  words: "[PREFIX]",
  completes: "model",
  summary: "List loaded models",
  flags: { ...jsonFlag, ...serverFlags },
  examples: ["ps", "ps --json"],
} as const satisfies CommandDefinition;
