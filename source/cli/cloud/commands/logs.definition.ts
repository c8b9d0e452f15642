// Definitions of deployctl logs and usage: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { logFlags, orgFlag, withCommonFlags } from "../flags.ts";

export const logCommands = withCommonFlags({
  logs: {
    name: "logs",
    words: "[APP]",
    completes: "app",
    summary: "Print the output of an app's replicas",
    details: "APP is optional with --events.",
    flags: {
      ...logFlags,
      replica: { type: "string", value: "ID", text: "Only this replica", completes: "replica" },
      rev: { type: "string", value: "REVISION", text: "Only this revision" },
      events: { type: "boolean", text: "Print the server's events" },
      ...orgFlag,
    },
    examples: ["logs chat -f", "logs chat --since 1h --search error", "logs --events"],
    exitCodes: { 3: "No such app", 8: "Server unreachable" },
  },
  usage: {
    name: "usage",
    synonyms: ["cost", "stats"],
    words: "[APP]",
    completes: "app",
    summary: "Show requests, latency, tokens and GPU time",
    flags: {
      since: { type: "time", text: "Start of the period; default 24h ago" },
      ...orgFlag,
    },
    examples: ["usage", "usage chat --since 7d --json"],
  },
} as const satisfies CommandTable);
