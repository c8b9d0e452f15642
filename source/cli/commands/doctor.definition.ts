// modelctl doctor: its words, flags and help.
import { gpuFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const doctorDefinition = {
  name: "doctor",
  synonyms: ["check", "diagnose"],
  words: "",
  summary: "Check what this machine can run models on",
  flags: gpuFlag,
  examples: ["doctor", "doctor --gpu cuda"],
  exitCodes: { 6: "No device works" },
} as const satisfies CommandDefinition;
