// Commands that begin with a script.
import type { CommandDefinition } from "../command-definition.ts";
import { limitFlags, scaleFlags, scriptFlags, switchFlags } from "./flag-groups.ts";

export const scriptCommands: readonly CommandDefinition[] = [
  {
    name: "init",
    words: "",
    completes: "none",
    summary: "write a script that serves a model of modelctl",
    flags: ["model", "file", "force"],
    load: async () => (await import("../commands/init.ts")).init,
  },
  {
    name: "inspect",
    words: "FILE.py[::NAME]",
    completes: "file",
    summary: "what a script asks for, without deploying it",
    flags: ["static"],
    load: async () => (await import("../commands/inspect.ts")).inspect,
  },
  {
    name: "run",
    words: "FILE.py[::NAME]",
    completes: "file",
    summary: "serve a script until Ctrl+C",
    flags: [...scriptFlags, ...limitFlags, "max-multiplexing", "local", "watch"],
    load: async () => (await import("../commands/run.ts")).run,
  },
  {
    name: "deploy",
    words: "FILE.py[::NAME]",
    completes: "file",
    summary: "make a script an app, or its next revision",
    flags: [
      ...scriptFlags,
      ...scaleFlags,
      "reset-scale",
      ...limitFlags,
      ...switchFlags,
      "force",
      "message",
      "annotation",
    ],
    shorts: { m: "message" },
    load: async () => (await import("../commands/deploy.ts")).deploy,
  },
  {
    name: "rollback",
    words: "APP",
    completes: "app",
    summary: "back to the revision that was active before",
    flags: [...switchFlags, "org"],
    load: async () => (await import("../commands/revisions.ts")).rollback,
  },
];
