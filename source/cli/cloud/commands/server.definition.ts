// Definitions of deployctl up, down, status, doctor and deployctl alone: arguments, flags, help.
import { screenFlags } from "../../flags.ts";
import type { CommandTable } from "../../program/definition.ts";
import { serverFlags, withCommonFlags } from "../flags.ts";

export const startCommand = withCommonFlags({
  openScreens: {
    name: "",
    summary: "Open the console; without a terminal, print this help",
    flags: screenFlags,
    examples: ["init --model tiny", "deploy deploy.py --app-name tiny", "apps list"],
  },
} as const satisfies CommandTable);

export const serverCommands = withCommonFlags({
  up: {
    name: "up",
    synonyms: ["start", "serve"],
    summary: "Start this machine's control plane and gateway",
    flags: {
      engine: {
        type: "string",
        value: "ENGINE",
        text: "Backend that runs replicas",
        values: ["process"],
      },
      ...serverFlags,
      foreground: { type: "boolean", text: "Stay in the foreground and log here" },
    },
    examples: ["up", "up --listen 0.0.0.0:8443 --tls self-signed", "up --foreground"],
    exitCodes: { 5: "Address in use", 7: "Not ready in time" },
    docs: "docs/deployctl.md",
  },
  down: {
    name: "down",
    synonyms: ["stop", "shutdown"],
    summary: "Stop them once running requests have ended",
    flags: {
      keepReplicas: { type: "boolean", text: "Keep replicas running for the next control plane" },
      force: { type: "boolean", text: "Cancel running requests" },
    },
    examples: ["down", "down --keep-replicas", "down --force"],
    docs: "docs/deployctl.md",
  },
  status: {
    name: "status",
    synonyms: ["info"],
    summary: "Show the server's state and apps",
    examples: ["status", "status --json"],
    exitCodes: { 4: "Key missing or refused", 8: "Server unreachable" },
  },
} as const satisfies CommandTable);

export const doctorCommand = withCommonFlags({
  doctor: {
    name: "doctor",
    synonyms: ["check"],
    summary: "Check if this machine can run apps",
    examples: ["doctor", "doctor --json"],
    exitCodes: { 1: "Something is missing" },
  },
} as const satisfies CommandTable);
