// Definition of modelctl engine build: arguments, flags, help.
import { gpuFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const buildEngineDefinition = {
  name: "engine build",
  words: "",
  summary: "Build the engine for this machine: for speed, images or ROCm",
  flags: {
    ...gpuFlag,
    vision: { type: "boolean", text: "Build only the image reader of the installed engine" },
  },
  examples: ["engine build", "engine build --vision", "engine build --gpu rocm"],
} as const satisfies CommandDefinition;
