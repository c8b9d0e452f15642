// Every command: its words, its flags, and where its code is. Dispatch, help and completion read it.
import { shellNames } from "./completion-scripts.ts";
import { flagTable } from "./flags.ts";
import type { CommandDefinitionOf, Program } from "./program.ts";

export type CommandDefinition = CommandDefinitionOf<typeof flagTable>;

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
  "session",
] as const;
const screenFlags = ["inline", "screen-reader", "theme"] as const;

export const startCommand: CommandDefinition = {
  name: "",
  words: "",
  completes: "none",
  summary: "the full screen: chat, models, server",
  flags: [...chatFlags, ...screenFlags, ...serverFlags, ...engineFlags],
  load: async () => (await import("./commands/start.ts")).start,
};

export const commandTable: readonly CommandDefinition[] = [
  {
    name: "run",
    words: 'MODEL ["PROMPT"]',
    completes: "model",
    summary: "chat with a model, or print one answer",
    flags: [
      ...chatFlags,
      "mmproj",
      "dimensions",
      "truncate",
      "insecure",
      ...screenFlags,
      ...serverFlags,
      ...engineFlags,
    ],
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
    completes: ["create", "list", "revoke"],
    summary: "who may use the server from other machines",
    flags: ["name", "role", "expires", "json"],
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  {
    name: "sessions",
    words: "[WORDS]",
    completes: "none",
    summary: "the chats that are kept; those that hold the words",
    flags: ["remove", "json"],
    load: async () => (await import("./commands/sessions.ts")).sessions,
  },
  {
    name: "list",
    aliases: ["ls"],
    words: "[PREFIX]",
    completes: "model",
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
    completes: "model",
    summary: "the models that are loaded",
    flags: [...serverFlags, "json"],
    load: async () => (await import("./commands/ps.ts")).ps,
  },
  {
    name: "stop",
    words: "MODEL",
    completes: "model",
    summary: "unload a model",
    flags: [...serverFlags, "json"],
    load: async () => (await import("./commands/stop.ts")).stop,
  },
  {
    name: "pull",
    words: "hf.co/OWNER/REPO[:QUANT]",
    completes: "none",
    summary: "bring a model of the hub into the store",
    flags: ["limit-rate", "insecure", "json"],
    load: async () => (await import("./commands/pull.ts")).pull,
  },
  {
    name: "create",
    words: "NAME",
    completes: "none",
    summary: "make a model from a Modelfile",
    flags: ["file", "mmproj", "quantize", "copy", "limit-rate", "json"],
    shorts: { f: "file", q: "quantize" },
    load: async () => (await import("./commands/create.ts")).create,
  },
  {
    name: "cp",
    words: "SOURCE DESTINATION",
    completes: "model",
    summary: "give a model a second name",
    flags: ["json"],
    load: async () => (await import("./commands/cp.ts")).cp,
  },
  {
    name: "rm",
    words: "MODEL…",
    completes: "own models",
    summary: "remove models",
    flags: [...serverFlags, "json"],
    load: async () => (await import("./commands/rm.ts")).rm,
  },
  {
    name: "export",
    words: "MODEL FILE",
    completes: "model",
    summary: "write a model into one file, or - for a pipe, for another machine",
    flags: ["json"],
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  {
    name: "import",
    words: "FILE",
    completes: "file",
    summary: "take models out of such a file, or - for a pipe",
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
    completes: ["build"],
    summary: "build the engine for this very machine: for speed, for images, for ROCm",
    flags: ["gpu", "vision"],
    load: async () => (await import("./commands/engine.ts")).engine,
  },
  {
    name: "config",
    words: "show",
    completes: ["show"],
    summary: "the settings, and where each comes from",
    flags: ["origin", "host", "port", ...engineFlags, "json"],
    load: async () => (await import("./commands/config.ts")).config,
  },
  {
    name: "completion",
    words: "bash|zsh|fish",
    completes: shellNames,
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

export const modelctlProgram: Program<typeof flagTable> = {
  name: "modelctl",
  title: "the terminal home for language models",
  flagTable,
  commands: commandTable,
  start: startCommand,
  commonFlags: [],
  notes: `MODEL is tiny (built in), a name of your own, hf.co/OWNER/REPO[:QUANT], or the path of a .gguf file.
Text on standard input goes in front of PROMPT.

modelctl COMMAND --help tells a command's flags. --version

Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 refused, 5 port or name taken,
6 model failed to load, 7 timeout, 8 server unreachable, 130 interrupted`,
};
