// Definition of modelctl doctor: arguments, flags, help.
import { gpuFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const doctorDefinition = {
  name: "doctor",
  synonyms: ["check", "diagnose"],
  words: "",
  summary: "Check which devices can run models",
  flags: gpuFlag,
  examples: ["doctor", "doctor --gpu cuda"],
  exitCodes: { 6: "No device works" },
} as const satisfies CommandDefinition;
