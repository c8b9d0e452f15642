// Definitions of modelctl keys create, list, revoke: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const createKeyDefinition = {
  name: "keys create",
  words: "",
  summary: "Create a key for the server; it is shown once",
  flags: {
    name: { type: "string", value: "NAME", text: "What the key is for" },
    role: {
      type: "string",
      value: "ROLE",
      text: "infer: use models; manage: also change them and see all requests; default infer",
      values: ["infer", "manage"],
    },
    expires: { type: "time", value: "TIME", text: "Expire after a time such as 30d or 12h" },
    ...jsonFlag,
  },
  examples: ["keys create --name laptop", "keys create --role manage --expires 30d"],
} as const satisfies CommandDefinition;

export const listKeysDefinition = {
  name: "keys list",
  aliases: ["keys ls"],
  words: "",
  summary: "List keys",
  flags: jsonFlag,
  examples: ["keys list", "keys list --json"],
} as const satisfies CommandDefinition;

export const revokeKeyDefinition = {
  name: "keys revoke",
  words: "ID",
  summary: "Revoke a key",
  flags: {},
  examples: ["keys revoke k_1a2b3c", "keys list"],
  exitCodes: { 3: "No such key" },
} as const satisfies CommandDefinition;
