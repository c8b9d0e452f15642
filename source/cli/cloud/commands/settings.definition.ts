// Definitions of deployctl login, profile, tls, state: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { withCommonFlags } from "../flags.ts";

export const profileCommands = withCommonFlags({
  login: {
    name: "login",
    words: "URL",
    summary: "Save another server's address and admin key in a profile",
    details:
      "The key comes from --key, DEPLOYCTL_ADMIN_KEY or a prompt; it is tried before it is saved.",
    examples: [
      "login https://gpu-box:8481",
      "login https://gpu-box:8481 --profile work --ca ca.pem",
    ],
    exitCodes: { 4: "Key refused", 8: "Server unreachable" },
  },
  listProfiles: {
    name: "profile list",
    aliases: ["profile ls"],
    summary: "List profiles",
    examples: ["profile list", "profile list --json"],
  },
  showProfile: {
    name: "profile show",
    words: "[NAME]",
    completes: "profile",
    summary: "Show the settings in force and where each comes from",
    details: "Flags win over DEPLOYCTL_* variables, variables over the profile.",
    examples: ["profile show", "profile show work"],
  },
  showProfileKey: {
    name: "profile key",
    summary: "Print the profile's key",
    examples: ["profile key", "export DEPLOYCTL_KEY=$(% profile key)"],
  },
  setProfile: {
    name: "profile set",
    words: "NAME SETTING=VALUE…",
    completes: "profile",
    summary: "Change a profile, or create one",
    examples: ["profile set work org=acme", "profile set work server=https://gpu-box:8481"],
  },
  unsetProfile: {
    name: "profile unset",
    words: "NAME SETTING…",
    completes: "profile",
    summary: "Remove settings from a profile",
    examples: ["profile unset work org", "profile show work"],
  },
  useProfile: {
    name: "profile use",
    words: "NAME",
    completes: "profile",
    summary: "Switch to a profile",
    examples: ["profile use work", "profile list"],
  },
  deleteProfile: {
    name: "profile delete",
    words: "NAME",
    completes: "profile",
    summary: "Delete a profile",
    examples: ["profile delete work", "profile list"],
  },
} as const satisfies CommandTable);

export const tlsCommand = withCommonFlags({
  tlsTrust: {
    name: "tls trust",
    summary: "Show the certificate authority that callers must trust",
    examples: ["tls trust", "curl --cacert $(% tls trust --quiet) https://localhost:8443/"],
  },
} as const satisfies CommandTable);

export const stateCommands = withCommonFlags({
  checkState: {
    name: "state check",
    summary: "Check the server's database and list its backups",
    examples: ["state check", "state check --json"],
    exitCodes: { 1: "The database is damaged" },
    docs: "docs/deployctl.md",
  },
  backUpState: {
    name: "state backup",
    summary: "Back up the database now",
    examples: ["state backup", "state check"],
    docs: "docs/deployctl.md",
  },
  restoreState: {
    name: "state restore",
    words: "[FILE]",
    summary: "Restore a backup while no control plane runs",
    flags: {
      empty: { type: "boolean", text: "Start with an empty database instead" },
    },
    examples: ["state restore state-2026-01-31.db", "state restore --empty"],
    exitCodes: { 5: "A control plane runs" },
    docs: "docs/deployctl.md",
  },
} as const satisfies CommandTable);
