// Definition of modelctl sessions: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const sessionsDefinition = {
  name: "sessions",
  synonyms: ["history", "chats"],
  words: "[WORDS…]",
  summary: "List saved chats, or those that contain all words",
  flags: {
    remove: {
      type: "string",
      value: "NAME",
      text: "Delete the saved chat with this name or id, and its images",
      completes: "session",
    },
    ...jsonFlag,
  },
  examples: ["sessions", "sessions rust lifetimes", "sessions --remove 12"],
  exitCodes: { 3: "No such chat" },
} as const satisfies CommandDefinition;
