// Definitions of deployctl login, profile, tls, state: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags } from "../flags.ts";

export const loginDefinition = {
  name: "login",
  words: "URL",
  summary: "Save another server's address and admin key in a profile",
  details:
    "The key comes from --key, DEPLOYCTL_ADMIN_KEY or a prompt; it is tried before it is saved.",
  flags: commonFlags,
  examples: ["login https://gpu-box:8481", "login https://gpu-box:8481 --profile work --ca ca.pem"],
  exitCodes: { 4: "Key refused", 8: "Server unreachable" },
} as const satisfies CommandDefinition;

export const listProfilesDefinition = {
  name: "profile list",
  aliases: ["profile ls"],
  words: "",
  summary: "List profiles",
  flags: commonFlags,
  examples: ["profile list", "profile list --json"],
} as const satisfies CommandDefinition;

export const showProfileDefinition = {
  name: "profile show",
  words: "[NAME]",
  completes: "profile",
  summary: "Show the settings in force and where each comes from",
  details: "Flags win over DEPLOYCTL_* variables, variables over the profile.",
  flags: commonFlags,
  examples: ["profile show", "profile show work"],
} as const satisfies CommandDefinition;

export const profileKeyDefinition = {
  name: "profile key",
  words: "",
  summary: "Print the profile's key",
  flags: commonFlags,
  examples: ["profile key", "export DEPLOYCTL_KEY=$(% profile key)"],
} as const satisfies CommandDefinition;

export const setProfileDefinition = {
  name: "profile set",
  words: "NAME SETTING=VALUE…",
  completes: "profile",
  summary: "Change a profile, or create one",
  flags: commonFlags,
  examples: ["profile set work org=acme", "profile set work server=https://gpu-box:8481"],
} as const satisfies CommandDefinition;

export const unsetProfileDefinition = {
  name: "profile unset",
  words: "NAME SETTING…",
  completes: "profile",
  summary: "Remove settings from a profile",
  flags: commonFlags,
  examples: ["profile unset work org", "profile show work"],
} as const satisfies CommandDefinition;

export const useProfileDefinition = {
  name: "profile use",
  words: "NAME",
  completes: "profile",
  summary: "Switch to a profile",
  flags: commonFlags,
  examples: ["profile use work", "profile list"],
} as const satisfies CommandDefinition;

export const deleteProfileDefinition = {
  name: "profile delete",
  words: "NAME",
  completes: "profile",
  summary: "Delete a profile",
  flags: commonFlags,
  examples: ["profile delete work", "profile list"],
} as const satisfies CommandDefinition;

export const tlsTrustDefinition = {
  name: "tls trust",
  words: "",
  summary: "Show the certificate authority that callers must trust",
  flags: commonFlags,
  examples: ["tls trust", "curl --cacert $(% tls trust --quiet) https://localhost:8443/"],
} as const satisfies CommandDefinition;

export const checkStateDefinition = {
  name: "state check",
  words: "",
  summary: "Check the server's database and list its backups",
  flags: commonFlags,
  examples: ["state check", "state check --json"],
  exitCodes: { 1: "The database is damaged" },
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;

export const backUpStateDefinition = {
  name: "state backup",
  words: "",
  summary: "Back up the database now",
  flags: commonFlags,
  examples: ["state backup", "state check"],
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;

export const restoreStateDefinition = {
  name: "state restore",
  words: "[FILE]",
  summary: "Restore a backup while no control plane runs",
  flags: {
    empty: { type: "boolean", text: "Start with an empty database instead" },
    ...commonFlags,
  },
  examples: ["state restore state-2026-01-31.db", "state restore --empty"],
  exitCodes: { 5: "A control plane runs" },
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;
