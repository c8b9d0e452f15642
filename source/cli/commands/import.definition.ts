// Definition of modelctl import: arguments, flags, help.
import { forceFlag, jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const importDefinition = {
  name: "import",
  synonyms: ["load"],
  words: "FILE",
  summary: "Import models written by export; - reads a pipe",
  flags: {
    as: { type: "string", value: "NAME", text: "Name to import the model under" },
    ...forceFlag,
    ...jsonFlag,
  },
  examples: ["import tiny.tar", "import tiny.tar --as my-tiny", "import - < tiny.tar"],
  exitCodes: { 5: "A model of this name exists" },
} as const satisfies CommandDefinition;
