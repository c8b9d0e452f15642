// Definitions of completion, __complete and version in both programs: help.
import type { CommandDefinition } from "../program/definition.ts";

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
