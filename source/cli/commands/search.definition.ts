// Definition of modelctl search: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const searchDefinition = {
  name: "search",
  synonyms: ["find"],
  words: "WORDS…",
  summary: "Search the hub for models, with quantizations, sizes and fit",
  flags: {
    limit: {
      type: "integer",
      value: "N",
      text: "Maximum repositories to list; default 5",
      least: 1,
      most: 20,
    },
    ...jsonFlag,
  },
  examples: ["search qwen3 instruct", "search llama --limit 10 --json"],
  exitCodes: { 3: "Nothing found", 4: "Hub refused access", 8: "Hub unreachable" },
} as const satisfies CommandDefinition;
