// Definitions of deployctl runners list, stop, kill, logs, exec: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags, logFlags, stateFlags } from "../flags.ts";

const exitCodes = { 3: "No such runner", 8: "Server unreachable" };

export const listRunnersDefinition = {
  name: "runners list",
  aliases: ["runners ls"],
  words: "",
  summary: "List the replicas of all apps",
  flags: { ...stateFlags, ...commonFlags },
  examples: ["runners list", "runners list --state all --since 24h"],
  exitCodes: { 8: "Server unreachable" },
} as const satisfies CommandDefinition;

export const stopRunnerDefinition = {
  name: "runners stop",
  words: "ID",
  completes: "replica",
  summary: "Stop a replica once its requests have ended",
  flags: { replace: { type: "boolean", text: "Start another one first" }, ...commonFlags },
  examples: ["runners stop chat-1a2b", "runners stop chat-1a2b --replace"],
  exitCodes,
} as const satisfies CommandDefinition;

export const killRunnerDefinition = {
  name: "runners kill",
  words: "ID",
  completes: "replica",
  summary: "Kill a replica at once",
  flags: commonFlags,
  examples: ["runners kill chat-1a2b", "runners list"],
  exitCodes,
} as const satisfies CommandDefinition;

export const runnerLogsDefinition = {
  name: "runners logs",
  words: "ID",
  completes: "replica",
  summary: "Print a replica's output",
  flags: { ...logFlags, ...commonFlags },
  examples: ["runners logs chat-1a2b -f", "runners logs chat-1a2b --lines all --search error"],
  exitCodes,
} as const satisfies CommandDefinition;

export const execRunnerDefinition = {
  name: "runners exec",
  words: "ID COMMAND…",
  completes: "replica",
  summary: "Run a command with a replica's variables, in its folder",
  details: "Put -- in front of COMMAND when it has flags.",
  flags: commonFlags,
  examples: ["runners exec chat-1a2b env", "runners exec chat-1a2b -- ls -l"],
  exitCodes: { ...exitCodes, 5: "The replica runs on another machine" },
} as const satisfies CommandDefinition;
