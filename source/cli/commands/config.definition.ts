// Definition of modelctl config show: arguments, flags, help.
import { addressFlags, engineFlags, jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

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
