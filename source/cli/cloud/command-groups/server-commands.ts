// Commands that care for the server: its life, its state, what it was asked.
import type { CommandDefinition } from "../command-definition.ts";
import { logFlags, serverFlags } from "./flag-groups.ts";

export const serverCommands: readonly CommandDefinition[] = [
  {
    name: "up",
    words: "",
    completes: "none",
    summary: "start this machine's control plane and gateway",
    flags: ["engine", ...serverFlags, "foreground"],
    load: async () => (await import("../commands/up.ts")).up,
  },
  {
    name: "down",
    words: "",
    completes: "none",
    summary: "end them, once running requests have ended",
    flags: ["keep-replicas", "force"],
    load: async () => (await import("../commands/down.ts")).down,
  },
  {
    name: "status",
    words: "",
    completes: "none",
    summary: "whether the server answers, and what it has",
    flags: [],
    load: async () => (await import("../commands/status.ts")).status,
  },
];

export const lookingCommands: readonly CommandDefinition[] = [
  {
    name: "logs",
    words: "APP",
    completes: "app",
    summary: "what its replicas wrote",
    flags: [...logFlags, "replica", "rev", "events", "org"],
    shorts: { f: "follow" },
    load: async () => (await import("../commands/logs.ts")).logs,
  },
  {
    name: "usage",
    words: "[APP]",
    completes: "app",
    summary: "requests, times, tokens and GPU time",
    flags: ["since", "org"],
    load: async () => (await import("../commands/usage.ts")).usage,
  },
  {
    name: "doctor",
    words: "",
    completes: "none",
    summary: "whether this machine can run apps",
    flags: [],
    load: async () => (await import("../commands/doctor.ts")).doctor,
  },
];
