// Every command: its words, its flags, and where its code is. Dispatch, help and completion read it.
import type { FlagName, Flags } from "./flags.ts";

/** What stands behind a command's name, for completion. */
export type WordKind = "model" | "models" | "file" | "shell" | "none";

export interface CommandDefinition {
  name: string;
  aliases?: readonly string[];
  /** The words behind the name, as help shows them. */
  words: string;
  completes: WordKind;
  summary: string;
  flags: readonly FlagName[];
  /** For programs: help and completion do not tell of it. */
  isHidden?: boolean;
  /** Letters of this command alone. */
  shorts?: Readonly<Record<string, FlagName>>;
  /** Loaded when it is called: `--version` loads none. */
  load: () => Promise<Command>;
}

/** @returns the exit code */
export type Command = (words: string[], flags: Flags) => Promise<number>;

const serverFlags = ["host", "port", "connect", "key"] as const;
const engineFlags = ["gpu", "num-parallel", "context-length", "debug"] as const;
const chatFlags = [
  "keepalive",
  "system",
  "format",
  "think",
  "hidethinking",
  "nowordwrap",
  "verbose",
  "plain",
] as const;

export const startCommand: CommandDefinition = {
  name: "",
  words: "",
  completes: "none",
  summary: "chat with the built-in model",
  flags: [...chatFlags, ...serverFlags, ...engineFlags],
  load: async () => (await import("./commands/start.ts")).start,
};

export const commandTable: readonly CommandDefinition[] = [
  {
    name: "run",
    words: 'MODEL ["PROMPT"]',
    completes: "model",
    summary: "chat with a model, or print one answer",
    flags: [...chatFlags, ...serverFlags, ...engineFlags],
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "serve",
    aliases: ["start"],
    words: "",
    completes: "none",
    summary: "serve /v1 and /api",
    flags: [
      "host",
      "port",
      ...engineFlags,
      "preload",
      "background",
      "insecure-no-key",
      "log-format",
    ],
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "logs",
    words: "",
    completes: "none",
    summary: "the requests of the running server",
    flags: [...serverFlags, "follow", "filter", "limit", "json"],
    shorts: { f: "follow" },
    load: async () => (await import("./commands/logs.ts")).logs,
  },
  {
    name: "keys",
    words: "create | list | revoke ID",
    completes: "none",
    summary: "who may use the server from other machines",
    flags: ["name", "role", "expires", "json"],
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  {
    name: "list",
    aliases: ["ls"],
    words: "[PREFIX]",
    completes: "none",
    summary: "the models there are",
    flags: ["store", "json"],
    load: async () => (await import("./commands/list.ts")).list,
  },
  {
    name: "show",
    words: "MODEL",
    completes: "model",
    summary: "what is known of a model; its Modelfile, template, licence; the prompt it is given",
    flags: [
      "license",
      "modelfile",
      "parameters",
      "template",
      "show-system",
      "rendered",
      "conversation",
      "show-verbose",
      "json",
    ],
    shorts: { v: "show-verbose" },
    load: async () => (await import("./commands/show.ts")).show,
  },
  {
    name: "ps",
    words: "[PREFIX]",
    completes: "none",
    summary: "the models that are loaded",
    flags: [...serverFlags, "json"],
    load: async () => (await import("./commands/ps.ts")).ps,
  },
  {
    name: "stop",
    words: "MODEL",
    completes: "model",
    summary: "unload a model",
    flags: serverFlags,
    load: async () => (await import("./commands/stop.ts")).stop,
  },
  {
    name: "pull",
    words: "hf.co/OWNER/REPO[:QUANT]",
    completes: "none",
    summary: "bring a model of the hub into the store",
    flags: ["limit-rate", "json"],
    load: async () => (await import("./commands/pull.ts")).pull,
  },
  {
    name: "create",
    words: "NAME",
    completes: "none",
    summary: "make a model from a Modelfile",
    flags: ["file", "quantize", "copy", "limit-rate", "json"],
    shorts: { f: "file", q: "quantize" },
    load: async () => (await import("./commands/create.ts")).create,
  },
  {
    name: "cp",
    words: "SOURCE DESTINATION",
    completes: "model",
    summary: "give a model a second name",
    flags: [],
    load: async () => (await import("./commands/cp.ts")).cp,
  },
  {
    name: "rm",
    words: "MODEL…",
    completes: "models",
    summary: "remove models",
    flags: serverFlags,
    load: async () => (await import("./commands/rm.ts")).rm,
  },
  {
    name: "export",
    words: "MODEL FILE",
    completes: "model",
    summary: "write a model into one file, for another machine",
    flags: ["json"],
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  {
    name: "import",
    words: "FILE",
    completes: "file",
    summary: "take models out of such a file",
    flags: ["as", "json"],
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  {
    name: "download",
    words: "OWNER/REPO FILE.gguf",
    completes: "none",
    summary: "save a file of a repository in a folder",
    flags: ["local-dir", "revision", "force", "limit-rate", "json"],
    load: async () => (await import("./commands/download.ts")).download,
  },
  {
    name: "doctor",
    words: "",
    completes: "none",
    summary: "what this machine can run models on",
    flags: ["gpu"],
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "engine",
    words: "build",
    completes: "none",
    summary: "build the engine for this very machine: for speed, for images, for ROCm",
    flags: ["gpu", "vision"],
    load: async () => (await import("./commands/engine.ts")).engine,
  },
  {
    name: "config",
    words: "show",
    completes: "none",
    summary: "the settings, and where each comes from",
    flags: ["origin", "host", "port", ...engineFlags, "json"],
    load: async () => (await import("./commands/config.ts")).config,
  },
  {
    name: "completion",
    words: "bash|zsh|fish",
    completes: "shell",
    summary: "print a script that lets a shell complete commands, flags and models",
    flags: [],
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  {
    name: "__complete",
    words: "-- WORDS…",
    completes: "none",
    summary: "what may stand where the last word is, for those scripts",
    flags: [],
    isHidden: true,
    load: async () => (await import("./commands/complete.ts")).complete,
  },
];

export function findCommand(name: string): CommandDefinition | undefined {
  return commandTable.find((command) => command.name === name || command.aliases?.includes(name));
}
