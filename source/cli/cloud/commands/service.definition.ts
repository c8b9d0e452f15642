// Definitions of deployctl service install, remove, status: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags, serverFlags } from "../flags.ts";

export const installServiceDefinition = {
  name: "service install",
  words: "",
  summary: "Start the server at login, and again when it crashes",
  details:
    "Writes a user unit of systemd, or a launchd agent, that runs % up --foreground with these flags.",
  flags: { ...serverFlags, ...commonFlags },
  examples: ["service install", "service install --listen 0.0.0.0:8443 --tls self-signed"],
  exitCodes: { 5: "Already installed, or a server is running", 6: "Does not start" },
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;

export const removeServiceDefinition = {
  name: "service remove",
  words: "",
  summary: "Stop the service once running requests have ended, and delete it",
  flags: commonFlags,
  examples: ["service remove", "service remove --json"],
  exitCodes: { 3: "Not installed" },
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;

export const showServiceDefinition = {
  name: "service status",
  words: "",
  summary: "Show if the service is installed, enabled and running",
  flags: commonFlags,
  examples: ["service status", "service status --json"],
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;
