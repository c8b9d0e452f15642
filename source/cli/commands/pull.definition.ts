// Definition of modelctl pull: arguments, flags, help.
import { insecureFlag, jsonFlag, limitRateFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const pullDefinition = {
  name: "pull",
  synonyms: ["install", "add", "get"],
  words: "MODEL",
  summary: "Pull a model from the hub",
  details: `MODEL is hf.co/OWNER/REPO[:QUANT]; without QUANT the default one is pulled. An interrupted pull resumes.`,
  flags: { ...limitRateFlag, ...insecureFlag, ...jsonFlag },
  examples: [
    "pull hf.co/OWNER/REPO",
    "pull hf.co/OWNER/REPO:Q4_K_M --limit-rate 5M",
    "search qwen",
  ],
  exitCodes: {
    3: "Model not found",
    4: "Hub refused access",
    8: "Hub unreachable",
    130: "Interrupted",
  },
} as const satisfies CommandDefinition;
