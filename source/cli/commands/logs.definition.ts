// Definition of modelctl logs: arguments, flags, help.
import { jsonFlag, serverFlags } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const logsDefinition = {
  name: "logs",
  synonyms: ["requests"],
  words: "",
  summary: "List requests to the running server",
  flags: {
    follow: { type: "boolean", short: "f", text: "Follow: print each request when it ends" },
    filter: {
      type: "string",
      value: "FILTER",
      text: "Only matching requests, such as 'status:5xx model:tiny -path:/v1 since:10m words'",
    },
    limit: {
      type: "integer",
      value: "N",
      text: "Only the newest N; default 50, with --follow 10",
      least: 1,
      most: 999_999_999,
    },
    ...jsonFlag,
    ...serverFlags,
  },
  examples: ["logs --limit 20", "logs -f --filter 'status:5xx since:10m'", "logs --json"],
  exitCodes: { 8: "No server is running" },
} as const satisfies CommandDefinition;
