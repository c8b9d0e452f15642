// Definition of modelctl stop: arguments, flags, help.
import { jsonFlag, serverFlags } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const stopDefinition = {
  name: "stop",
  synonyms: ["unload", "kill"],
  words: "MODEL",
  completes: "model",
  summary: "Unload a model",
  flags: { ...jsonFlag, ...serverFlags },
  examples: ["stop tiny", "stop --connect http://gpu-box:11434 tiny"],
  exitCodes: { 3: "Model not found", 8: "Server unreachable" },
} as const satisfies CommandDefinition;
