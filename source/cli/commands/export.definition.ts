// Definition of modelctl export: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const exportDefinition = {
  name: "export",
  synonyms: ["save", "push"],
  words: "MODEL FILE",
  completes: "model",
  summary: "Export a model to one file, or to a pipe with -",
  flags: jsonFlag,
  examples: ["export tiny tiny.tar", "% export tiny - | ssh HOST % import -"],
  exitCodes: { 3: "Model not found" },
} as const satisfies CommandDefinition;
