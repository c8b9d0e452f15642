// Definitions of deployctl queue list, show, cancel, purge: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { orgFlag, withCommonFlags } from "../flags.ts";

const exitCodes = { 3: "No such request", 8: "Server unreachable" };

export const queueCommands = withCommonFlags({
  listQueue: {
    name: "queue list",
    aliases: ["queue ls"],
    words: "[APP]",
    completes: "app",
    summary: "List queued requests, newest first",
    flags: {
      state: {
        type: "string",
        value: "STATE",
        text: "Only requests in this state",
        values: ["in_queue", "in_progress", "completed"],
      },
      lines: {
        type: "integer",
        value: "N",
        text: "The newest N requests; default 100",
        least: 1,
        most: 10_000,
      },
      ...orgFlag,
    },
    examples: ["queue list", "queue list chat --state in_queue"],
    exitCodes: { 3: "No such app", 8: "Server unreachable" },
    docs: "docs/queue.md",
  },
  showQueued: {
    name: "queue show",
    words: "ID",
    summary: "Show a queued request, its webhook and its error",
    examples: ["queue show 024ca5b1-45d3-4afd-883e-ad3abe2a1c4d", "queue list"],
    exitCodes,
  },
  cancelQueued: {
    name: "queue cancel",
    words: "ID",
    summary: "Cancel a queued request, also while it runs",
    examples: ["queue cancel 024ca5b1-45d3-4afd-883e-ad3abe2a1c4d", "queue list chat"],
    exitCodes: { ...exitCodes, 5: "It has completed" },
  },
  purgeQueue: {
    name: "queue purge",
    words: "APP",
    completes: "app",
    summary: "Cancel an app's requests and delete its results",
    flags: orgFlag,
    examples: ["queue purge chat", "queue list chat"],
    exitCodes: { 3: "No such app", 8: "Server unreachable" },
  },
} as const satisfies CommandTable);
