// Other commands of modelctl, some of them deployctl's too: arguments, flags, help.
import { addressFlags, engineFlags, gpuFlag, jsonFlag } from "../flags.ts";
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

export const showConfigDefinition = {
  name: "config show",
  synonyms: ["settings"],
  words: "",
  summary: "Show the settings in force",
  flags: {
    origin: { type: "boolean", text: "Show where each value comes from" },
    ...jsonFlag,
    ...addressFlags,
    ...engineFlags,
  },
  examples: ["config show --origin", "config show --json"],
  docs: "docs/configuration.md",
} as const satisfies CommandDefinition;

export const completionDefinition = {
  name: "completion",
  words: "SHELL",
  completes: ["bash", "zsh", "fish"],
  summary: "Print a completion script for bash, zsh or fish",
  details: `bash: source <(% completion bash)
zsh:  % completion zsh > a folder in $fpath, as _%
fish: % completion fish > ~/.config/fish/completions/%.fish`,
  flags: {},
  examples: ["completion bash", "completion zsh"],
} as const satisfies CommandDefinition;

export const completeDefinition = {
  name: "__complete",
  words: "[WORDS…]",
  summary: "Print completion candidates for the last word",
  flags: {},
  examples: ["__complete -- run t"],
  isHidden: true,
} as const satisfies CommandDefinition;

export const versionDefinition = {
  name: "version",
  words: "",
  summary: "Print the version",
  flags: {},
  examples: ["version", "--version"],
} as const satisfies CommandDefinition;
