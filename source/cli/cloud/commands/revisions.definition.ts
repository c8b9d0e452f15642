// Definitions of deployctl apps list-rev, set-rev, delete-rev, pin-rev, unpin-rev, rollout and
// rollback: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { orgFlag, switchFlags, withCommonFlags } from "../flags.ts";

const exitCodes = { 3: "No such app or revision", 8: "Server unreachable" };
const switchCodes = { ...exitCodes, 6: "Start or verification failed", 7: "Not ready in time" };

export const revisionCommands = withCommonFlags({
  listRevisions: {
    name: "apps list-rev",
    words: "APP",
    completes: "app",
    summary: "List an app's revisions",
    flags: orgFlag,
    examples: ["apps list-rev chat", "apps list-rev chat --json"],
    exitCodes,
  },
  setRevision: {
    name: "apps set-rev",
    words: "APP REVISION",
    completes: "app",
    summary: "Switch to another revision once it is verified",
    flags: { ...switchFlags, ...orgFlag },
    examples: ["apps set-rev chat r3", "apps set-rev chat r3 --smoke 'GET /v1/models'"],
    exitCodes: switchCodes,
  },
  deleteRevision: {
    name: "apps delete-rev",
    words: "APP REVISION",
    completes: "app",
    summary: "Delete a revision that is not in use",
    flags: orgFlag,
    examples: ["apps delete-rev chat r3", "apps list-rev chat"],
    exitCodes: { ...exitCodes, 5: "The revision is in use" },
  },
  pinRevision: {
    name: "apps pin-rev",
    words: "APP REVISION",
    completes: "app",
    summary: "Pin a revision; otherwise only the last ten are kept",
    flags: orgFlag,
    examples: ["apps pin-rev chat r3", "apps unpin-rev chat r3"],
    exitCodes,
  },
  unpinRevision: {
    name: "apps unpin-rev",
    words: "APP REVISION",
    completes: "app",
    summary: "Unpin a revision",
    flags: orgFlag,
    examples: ["apps unpin-rev chat r3", "apps list-rev chat"],
    exitCodes,
  },
  rollout: {
    name: "apps rollout",
    words: "APP",
    completes: "app",
    summary: "Replace all replicas, with the same revision",
    flags: orgFlag,
    examples: ["apps rollout chat", "apps rollout chat --json"],
    exitCodes: switchCodes,
  },
} as const satisfies CommandTable);

export const rollbackCommand = withCommonFlags({
  rollback: {
    name: "rollback",
    synonyms: ["undo", "revert"],
    words: "APP",
    completes: "app",
    summary: "Switch back to the previous revision",
    flags: { ...switchFlags, ...orgFlag },
    examples: ["rollback chat", "rollback chat --strategy recreate"],
    exitCodes: switchCodes,
  },
} as const satisfies CommandTable);
