// Definition of modelctl rm: arguments, flags, help.
import { jsonFlag, serverFlags } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const rmDefinition = {
  name: "rm",
  synonyms: ["remove", "delete", "uninstall"],
  words: "MODEL…",
  completes: "own models",
  summary: "Remove models",
  flags: {
    force: { type: "boolean", text: "Remove models that deployments of deployctl serve" },
    ...jsonFlag,
    ...serverFlags,
  },
  examples: ["rm my-tiny", "rm my-tiny hf.co/OWNER/REPO:Q4_K_M"],
  exitCodes: { 3: "Model not found", 5: "Served by a deployment" },
} as const satisfies CommandDefinition;
