// Definition of modelctl list: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const listDefinition = {
  name: "list",
  aliases: ["ls"],
  synonyms: ["models"],
  words: "[PREFIX]",
  completes: "model",
  summary: "List models on this machine",
  flags: {
    store: {
      type: "string",
      value: "STORE",
      text: "Only models of one store",
      values: ["modelctl", "ollama", "lm-studio", "built-in"],
    },
    ...jsonFlag,
  },
  examples: ["list", "list qwen", "list --store ollama --json"],
} as const satisfies CommandDefinition;
