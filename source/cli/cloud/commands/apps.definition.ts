// Definitions of deployctl apps list, show, runners, scale, pause, resume, delete: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags, orgFlag, scaleFlags, stateFlags } from "../flags.ts";

const appFlags = { ...orgFlag, ...commonFlags };
const exitCodes = { 3: "No such app", 8: "Server unreachable" };

export const listAppsDefinition = {
  name: "apps list",
  aliases: ["apps ls"],
  synonyms: ["list", "ls", "ps"],
  words: "[PREFIX]",
  summary: "List apps",
  flags: commonFlags,
  examples: ["apps list", "apps list chat --json"],
  exitCodes: { 8: "Server unreachable" },
} as const satisfies CommandDefinition;

export const showAppDefinition = {
  name: "apps show",
  words: "APP",
  completes: "app",
  summary: "Show an app, its settings and its scale",
  details: "APP is a name, or ORGANISATION/APP.",
  flags: appFlags,
  examples: ["apps show chat", "apps show acme/chat --json"],
  exitCodes,
} as const satisfies CommandDefinition;

export const scaleAppDefinition = {
  name: "apps scale",
  words: "APP",
  completes: "app",
  summary: "Change how an app scales; later deploys keep it",
  flags: {
    ...scaleFlags,
    reset: { type: "boolean", text: "Restore the revision's settings" },
    ...appFlags,
  },
  examples: [
    "apps scale chat --max-concurrency 4",
    "apps scale chat --keep-alive 10m",
    "apps scale chat --reset",
  ],
  exitCodes,
} as const satisfies CommandDefinition;

export const pauseAppDefinition = {
  name: "apps pause",
  words: "APP",
  completes: "app",
  summary: "Stop an app's replicas and answer 503",
  flags: appFlags,
  examples: ["apps pause chat", "apps resume chat"],
  exitCodes,
} as const satisfies CommandDefinition;

export const resumeAppDefinition = {
  name: "apps resume",
  words: "APP",
  completes: "app",
  summary: "Serve a paused app again",
  flags: appFlags,
  examples: ["apps resume chat", "apps show chat"],
  exitCodes,
} as const satisfies CommandDefinition;

export const deleteAppDefinition = {
  name: "apps delete",
  words: "APP",
  completes: "app",
  summary: "Delete an app with all its revisions",
  flags: appFlags,
  examples: ["apps delete chat", "apps delete acme/chat"],
  exitCodes,
} as const satisfies CommandDefinition;

export const appRunnersDefinition = {
  name: "apps runners",
  words: "APP",
  completes: "app",
  summary: "List an app's replicas",
  flags: { ...stateFlags, ...appFlags },
  examples: ["apps runners chat", "apps runners chat --state all --since 24h"],
  exitCodes,
} as const satisfies CommandDefinition;
