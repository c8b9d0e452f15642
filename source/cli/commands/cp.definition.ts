// Definition of modelctl cp: arguments, flags, help.
import { forceFlag, jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const cpDefinition = {
  name: "cp",
  synonyms: ["copy", "rename"],
  words: "SOURCE DESTINATION",
  completes: "model",
  summary: "Copy a model to a second name",
  flags: { ...forceFlag, ...jsonFlag },
  examples: ["cp tiny my-tiny", "cp tiny my-tiny --force"],
  exitCodes: { 3: "Model not found", 5: "Destination exists" },
} as const satisfies CommandDefinition;
