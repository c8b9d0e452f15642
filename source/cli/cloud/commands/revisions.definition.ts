// Definitions of deployctl apps list-rev, set-rev, delete-rev, pin-rev, unpin-rev, rollout and
// rollback: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags, orgFlag, switchFlags } from "../flags.ts";

const appFlags = { ...orgFlag, ...commonFlags };
const exitCodes = { 3: "No such app or revision", 8: "Server unreachable" };
const switchCodes = { ...exitCodes, 6: "Start or verification failed", 7: "Not ready in time" };

export const listRevisionsDefinition = {
  name: "apps list-rev",
  words: "APP",
  completes: "app",
  summary: "List an app's revisions",
  flags: appFlags,
  examples: ["apps list-rev chat", "apps list-rev chat --json"],
  exitCodes,
} as const satisfies CommandDefinition;

export const setRevisionDefinition = {
  name: "apps set-rev",
  words: "APP REVISION",
  completes: "app",
  summary: "Switch to another revision once it is verified",
  flags: { ...switchFlags, ...appFlags },
  examples: ["apps set-rev chat r3", "apps set-rev chat r3 --smoke 'GET /v1/models'"],
  exitCodes: switchCodes,
} as const satisfies CommandDefinition;

export const deleteRevisionDefinition = {
  name: "apps delete-rev",
  words: "APP REVISION",
  completes: "app",
  summary: "Delete a revision that is not in use",
  flags: appFlags,
  examples: ["apps delete-rev chat r3", "apps list-rev chat"],
  exitCodes: { ...exitCodes, 5: "The revision is in use" },
} as const satisfies CommandDefinition;

export const pinRevisionDefinition = {
  name: "apps pin-rev",
  words: "APP REVISION",
  completes: "app",
  summary: "Pin a revision; otherwise only the last ten are kept",
  flags: appFlags,
  examples: ["apps pin-rev chat r3", "apps unpin-rev chat r3"],
  exitCodes,
} as const satisfies CommandDefinition;

export const unpinRevisionDefinition = {
  name: "apps unpin-rev",
  words: "APP REVISION",
  completes: "app",
  summary: "Unpin a revision",
  flags: appFlags,
  examples: ["apps unpin-rev chat r3", "apps list-rev chat"],
  exitCodes,
} as const satisfies CommandDefinition;

export const rolloutDefinition = {
  name: "apps rollout",
  words: "APP",
  completes: "app",
  summary: "Replace all replicas, with the same revision",
  flags: appFlags,
  examples: ["apps rollout chat", "apps rollout chat --json"],
  exitCodes: switchCodes,
} as const satisfies CommandDefinition;

export const rollbackDefinition = {
  name: "rollback",
  synonyms: ["undo", "revert"],
  words: "APP",
  completes: "app",
  summary: "Switch back to the previous revision",
  flags: { ...switchFlags, ...appFlags },
  examples: ["rollback chat", "rollback chat --strategy recreate"],
  exitCodes: switchCodes,
} as const satisfies CommandDefinition;
