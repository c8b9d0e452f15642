// Definitions of deployctl up, down, status, doctor and deployctl alone: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags, screenFlags, serverFlags } from "../flags.ts";

export const startDefinition = {
  name: "",
  words: "",
  summary: "Open the console; without a terminal, print this help",
  flags: { ...screenFlags, ...commonFlags },
  examples: ["init --model tiny", "deploy deploy.py --app-name tiny", "apps list"],
} as const satisfies CommandDefinition;

export const upDefinition = {
  name: "up",
  synonyms: ["start", "serve"],
  words: "",
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
    ...commonFlags,
  },
  examples: ["up", "up --listen 0.0.0.0:8443 --tls self-signed", "up --foreground"],
  exitCodes: { 5: "Address in use", 7: "Not ready in time" },
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;

export const downDefinition = {
  name: "down",
  synonyms: ["stop", "shutdown"],
  words: "",
  summary: "Stop them once running requests have ended",
  flags: {
    keepReplicas: { type: "boolean", text: "Keep replicas running for the next control plane" },
    force: { type: "boolean", text: "Cancel running requests" },
    ...commonFlags,
  },
  examples: ["down", "down --keep-replicas", "down --force"],
  docs: "docs/deployctl.md",
} as const satisfies CommandDefinition;

export const statusDefinition = {
  name: "status",
  synonyms: ["info"],
  words: "",
  summary: "Show the server's state and apps",
  flags: commonFlags,
  examples: ["status", "status --json"],
  exitCodes: { 4: "Key missing or refused", 8: "Server unreachable" },
} as const satisfies CommandDefinition;

export const doctorDefinition = {
  name: "doctor",
  synonyms: ["check"],
  words: "",
  summary: "Check if this machine can run apps",
  flags: commonFlags,
  examples: ["doctor", "doctor --json"],
  exitCodes: { 1: "Something is missing" },
} as const satisfies CommandDefinition;
