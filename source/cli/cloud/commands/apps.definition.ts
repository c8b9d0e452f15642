// Definitions of deployctl apps list, show, runners, scale, pause, resume, delete: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { orgFlag, scaleFlags, stateFlags, withCommonFlags } from "../flags.ts";

const exitCodes = { 3: "No such app", 8: "Server unreachable" };

export const appCommands = withCommonFlags({
  listApps: {
    name: "apps list",
    aliases: ["apps ls"],
    synonyms: ["list", "ls", "ps"],
    words: "[PREFIX]",
    summary: "List apps",
    examples: ["apps list", "apps list chat --json"],
    exitCodes: { 8: "Server unreachable" },
  },
  showApp: {
    name: "apps show",
    words: "APP",
    completes: "app",
    summary: "Show an app, its settings and its scale",
    details: "APP is a name, or ORGANISATION/APP.",
    flags: orgFlag,
    examples: ["apps show chat", "apps show acme/chat --json"],
    exitCodes,
  },
  scaleApp: {
    name: "apps scale",
    words: "APP",
    completes: "app",
    summary: "Change how an app scales; later deploys keep it",
    flags: {
      ...scaleFlags,
      reset: { type: "boolean", text: "Restore the revision's settings" },
      ...orgFlag,
    },
    examples: [
      "apps scale chat --max-concurrency 4",
      "apps scale chat --keep-alive 10m",
      "apps scale chat --reset",
    ],
    exitCodes,
  },
  pauseApp: {
    name: "apps pause",
    words: "APP",
    completes: "app",
    summary: "Stop an app's replicas and answer 503",
    flags: orgFlag,
    examples: ["apps pause chat", "apps resume chat"],
    exitCodes,
  },
  resumeApp: {
    name: "apps resume",
    words: "APP",
    completes: "app",
    summary: "Serve a paused app again",
    flags: orgFlag,
    examples: ["apps resume chat", "apps show chat"],
    exitCodes,
  },
  deleteApp: {
    name: "apps delete",
    words: "APP",
    completes: "app",
    summary: "Delete an app with all its revisions",
    flags: orgFlag,
    examples: ["apps delete chat", "apps delete acme/chat"],
    exitCodes,
  },
  appRunners: {
    name: "apps runners",
    words: "APP",
    completes: "app",
    summary: "List an app's replicas",
    flags: { ...stateFlags, ...orgFlag },
    examples: ["apps runners chat", "apps runners chat --state all --since 24h"],
    exitCodes,
  },
} as const satisfies CommandTable);
