// Definitions of deployctl service install, remove, status: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { serverFlags, withCommonFlags } from "../flags.ts";

export const serviceCommands = withCommonFlags({
  installService: {
    name: "service install",
    summary: "Start the server at login, and again when it crashes",
    details:
      "Writes a user unit of systemd, or a launchd agent, that runs % up --foreground with these flags.",
    flags: serverFlags,
    examples: ["service install", "service install --listen 0.0.0.0:8443 --tls self-signed"],
    exitCodes: { 5: "Already installed, or a server is running", 6: "Does not start" },
    docs: "docs/deployctl.md",
  },
  uninstallService: {
    name: "service remove",
    summary: "Stop the service once running requests have ended, and delete it",
    examples: ["service remove", "service remove --json"],
    exitCodes: { 3: "Not installed" },
    docs: "docs/deployctl.md",
  },
  showService: {
    name: "service status",
    summary: "Show if the service is installed, enabled and running",
    examples: ["service status", "service status --json"],
    docs: "docs/deployctl.md",
  },
} as const satisfies CommandTable);
