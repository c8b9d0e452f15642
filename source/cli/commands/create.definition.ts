// Definition of modelctl create: arguments, flags, help.
import { jsonFlag, limitRateFlag, projectorFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const createDefinition = {
  name: "create",
  synonyms: ["build", "make"],
  words: "NAME",
  summary: "Create a model from a Modelfile, or replace one",
  details: "Without --file, it uses Modelfile in this folder, or else the .gguf file in it.",
  flags: {
    file: { type: "string", value: "FILE", short: "f", text: "Modelfile; - reads standard input" },
    ...projectorFlag,
    quantize: {
      type: "string",
      value: "TYPE",
      short: "q",
      text: "Quantize F16, BF16 or F32 weights, for example to q4_K_M",
      // The usual ones.
      completes: ["q4_K_S", "q4_K_M", "q5_K_M", "q6_K", "q8_0"],
    },
    copy: { type: "boolean", text: "Copy the file into the store instead of referring to it" },
    ...limitRateFlag,
    ...jsonFlag,
  },
  examples: ["create pirate -f Modelfile", "create small -f Modelfile -q q4_K_M"],
  exitCodes: { 3: "Base model not found", 130: "Interrupted" },
} as const satisfies CommandDefinition;
