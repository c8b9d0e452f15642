// Definitions of deployctl keys create, list, revoke, rotate: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { orgFlag, withCommonFlags } from "../flags.ts";

export const keyCommands = withCommonFlags({
  createKey: {
    name: "keys create",
    summary: "Create a key for callers; it is shown once",
    flags: {
      scope: {
        type: "string",
        value: "SCOPE",
        text: "api: call apps; api:read: GET only; admin: also this command line",
        values: ["api", "api:read", "admin"],
      },
      app: { type: "strings", value: "APP", text: "Only for this app", completes: "app" },
      desc: { type: "string", value: "TEXT", text: "Description" },
      expires: {
        type: "time",
        value: "TIME",
        text: "Expire after a time such as 30d; default never",
      },
      rpm: {
        type: "integer",
        value: "N",
        text: "Maximum requests per minute",
        least: 1,
        most: 1_000_000,
      },
      ...orgFlag,
    },
    examples: [
      "keys create --scope api --desc website",
      "keys create --scope api --app chat --expires 30d",
    ],
  },
  listKeys: {
    name: "keys list",
    aliases: ["keys ls"],
    summary: "List keys",
    examples: ["keys list", "keys list --json"],
  },
  revokeKey: {
    name: "keys revoke",
    words: "ID",
    completes: "key",
    summary: "Revoke a key",
    flags: {
      hard: { type: "boolean", text: "Also end its running streams" },
    },
    examples: ["keys revoke k_1a2b3c", "keys revoke k_1a2b3c --hard"],
    exitCodes: { 3: "No such key" },
  },
  rotateKey: {
    name: "keys rotate",
    words: "ID",
    completes: "key",
    summary: "Create a key that replaces another",
    flags: {
      grace: { type: "time", text: "Time that the old key still works; default 24h" },
    },
    examples: ["keys rotate k_1a2b3c", "keys rotate k_1a2b3c --grace 1h"],
    exitCodes: { 3: "No such key" },
  },
} as const satisfies CommandTable);
