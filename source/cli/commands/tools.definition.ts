// Other commands of modelctl, some of them deployctl's too: arguments, flags, help.
import { addressFlags, engineFlags, gpuFlag, jsonFlag } from "../flags.ts";
import type { CommandTable } from "../program/definition.ts";

export const toolCommands = {
  doctor: {
    name: "doctor",
    synonyms: ["check", "diagnose"],
    summary: "Check which devices can run models",
    flags: { ...jsonFlag, ...gpuFlag },
    examples: ["doctor", "doctor --gpu cuda", "doctor --json"],
    exitCodes: { 6: "No device works" },
  },
  engineBuild: {
    name: "engine build",
    summary: "Build the engine for this machine: for speed, images or ROCm",
    flags: {
      ...gpuFlag,
      extension: {
        type: "boolean",
        text: "Build only the extension of the installed engine: images, experts on the CPU, several cards",
      },
    },
    examples: ["engine build", "engine build --extension", "engine build --gpu rocm"],
  },
  update: {
    name: "update",
    synonyms: ["upgrade"],
    summary: "Show if there is a newer version, and how to update",
    details: `A clone asks its git remote for tags; an installed package asks npm's registry. Nothing asks by itself, and nothing is
installed. Models: modelctl list --outdated.`,
    flags: jsonFlag,
    examples: ["update", "update --json"],
    exitCodes: { 8: "The newest version is not known" },
  },
  configShow: {
    name: "config show",
    synonyms: ["settings"],
    summary: "Show the settings in force",
    flags: {
      origin: { type: "boolean", text: "Show where each value comes from" },
      ...jsonFlag,
      ...addressFlags,
      ...engineFlags,
    },
    examples: ["config show --origin", "config show --json"],
    docs: "docs/configuration.md",
  },
} as const satisfies CommandTable;

/** Commands that both programs have. */
export const sharedCommands = {
  completion: {
    name: "completion",
    words: "SHELL",
    completes: ["bash", "zsh", "fish"],
    summary: "Print a completion script for bash, zsh or fish",
    details: `bash: source <(% completion bash)
zsh:  % completion zsh > a folder in $fpath, as _%
fish: % completion fish > ~/.config/fish/completions/%.fish`,
    examples: ["completion bash", "completion zsh"],
  },
  version: {
    name: "version",
    summary: "Print the version",
    examples: ["version", "--version"],
  },
} as const satisfies CommandTable;

export const completeCommand = {
  complete: {
    name: "__complete",
    words: "[WORDS…]",
    summary: "Print completion candidates for the last word",
    examples: ["__complete -- run t"],
    isHidden: true,
  },
} as const satisfies CommandTable;
