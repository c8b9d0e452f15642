// Definitions of deployctl runners list, stop, kill, logs, exec, shell, forward: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { logFlags, stateFlags, withCommonFlags } from "../flags.ts";

const exitCodes = { 3: "No such runner", 8: "Server unreachable" };

export const runnerCommands = withCommonFlags({
  listRunners: {
    name: "runners list",
    aliases: ["runners ls"],
    summary: "List the replicas of all apps",
    flags: stateFlags,
    examples: ["runners list", "runners list --state all --since 24h"],
    exitCodes: { 8: "Server unreachable" },
  },
  stopRunner: {
    name: "runners stop",
    words: "ID",
    completes: "replica",
    summary: "Stop a replica once its requests have ended",
    flags: { replace: { type: "boolean", text: "Start another one first" } },
    examples: ["runners stop chat-1a2b", "runners stop chat-1a2b --replace"],
    exitCodes,
  },
  killRunner: {
    name: "runners kill",
    words: "ID",
    completes: "replica",
    summary: "Kill a replica at once",
    examples: ["runners kill chat-1a2b", "runners list"],
    exitCodes,
  },
  runnerLogs: {
    name: "runners logs",
    words: "ID",
    completes: "replica",
    summary: "Print a replica's output",
    flags: logFlags,
    examples: ["runners logs chat-1a2b -f", "runners logs chat-1a2b --lines all --search error"],
    exitCodes,
  },
  execRunner: {
    name: "runners exec",
    words: "ID COMMAND…",
    completes: "replica",
    summary: "Run a command with a replica's variables, in its folder",
    details: "Words behind ID belong to COMMAND, with its flags; flags of % come before ID.",
    passesFlags: true,
    examples: ["runners exec chat-1a2b env", "runners exec chat-1a2b ls -l"],
    exitCodes: { ...exitCodes, 5: "The replica runs on another machine" },
  },
  openShell: {
    name: "runners shell",
    synonyms: ["runners ssh", "runners attach"],
    words: "ID",
    completes: "replica",
    summary: "Open a shell with a replica's variables, in its folder",
    details:
      "It runs on the server's machine, as the server's user. With --server it needs % up --remote-shell on there.",
    examples: ["runners shell chat-1a2b", "runners exec chat-1a2b env"],
    exitCodes: { ...exitCodes, 4: "The server allows no shells", 5: "The replica has ended" },
    docs: "docs/deployctl.md",
  },
  forwardPort: {
    name: "runners forward",
    synonyms: ["runners port-forward"],
    words: "ID PORTS",
    completes: "replica",
    summary: "Forward a port of this machine to one next to a replica, until Ctrl+C",
    details:
      "PORTS is REMOTE or LOCAL:REMOTE; LOCAL 0 chooses a free port. The port that the script names means the replica's own one. With --server it needs % up --remote-shell on there.",
    examples: ["runners forward chat-1a2b 8000", "runners forward chat-1a2b 9000:8000"],
    exitCodes: { ...exitCodes, 4: "The server forwards no ports", 5: "Local port in use" },
    docs: "docs/deployctl.md",
  },
} as const satisfies CommandTable);
