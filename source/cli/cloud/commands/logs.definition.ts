// Definitions of deployctl logs and usage: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags, logFlags, orgFlag } from "../flags.ts";

export const logsDefinition = {
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
    ...commonFlags,
  },
  examples: ["logs chat -f", "logs chat --since 1h --search error", "logs --events"],
  exitCodes: { 3: "No such app", 8: "Server unreachable" },
} as const satisfies CommandDefinition;

export const usageDefinition = {
  name: "usage",
  synonyms: ["cost", "stats"],
  words: "[APP]",
  completes: "app",
  summary: "Show requests, latency, tokens and GPU time",
  flags: {
    since: { type: "time", value: "TIME", text: "Start of the period; default 24h ago" },
    ...orgFlag,
    ...commonFlags,
  },
  examples: ["usage", "usage chat --since 7d --json"],
} as const satisfies CommandDefinition;
