// Commands of modelctl for its server: arguments, flags, help.
import {
  addressFlags,
  engineFlags,
  hostingFlags,
  jsonFlag,
  serverFlags,
  tlsFlags,
} from "../flags.ts";
import type { CommandTable } from "../program/definition.ts";

export const serverCommands = {
  serve: {
    name: "serve",
    aliases: ["start"],
    synonyms: ["server", "daemon"],
    summary: "Serve the OpenAI-compatible and Ollama APIs",
    flags: {
      ...addressFlags,
      ...engineFlags,
      ...hostingFlags,
      ...tlsFlags,
      preload: {
        type: "string",
        value: "MODEL",
        text: "Load this model at start, and end if it cannot be loaded",
        completes: "model",
      },
      background: { type: "boolean", text: "Stop after five idle minutes" },
    },
    examples: [
      "serve",
      "serve --port 8080 --preload tiny",
      "serve --host 0.0.0.0 --log-format json",
      "serve --host 0.0.0.0 --tls self-signed",
    ],
    exitCodes: { 5: "Port in use", 130: "Stopped with Ctrl+C" },
    docs: "docs/configuration.md",
  },
  ps: {
    name: "ps",
    synonyms: ["status", "loaded"],
    words: "[PREFIX]",
    completes: "model",
    summary: "List loaded models",
    flags: { ...jsonFlag, ...serverFlags },
    examples: ["ps", "ps --json"],
  },
  bench: {
    name: "bench",
    synonyms: ["benchmark", "measure"],
    words: "[MODEL…]",
    completes: "model",
    summary: "Measure models through the server: first token, speed, memory",
    details: `Measures the first token of a model that is not loaded and of a loaded one, prompt and answer speed, and four
answers at a time. Without MODEL, the one that a chat opens with. Ctrl+C keeps what was measured.`,
    flags: {
      compare: {
        type: "string",
        value: "URL",
        text: "Measure the same model on this server of Ollama or llama.cpp, too",
      },
      ...jsonFlag,
      ...serverFlags,
      ...engineFlags,
    },
    examples: ["bench tiny", "bench tiny --json", "bench mine --compare http://127.0.0.1:8080"],
    exitCodes: { 3: "Model not found", 8: "Server unreachable", 130: "Interrupted" },
  },
  stop: {
    name: "stop",
    synonyms: ["unload", "kill"],
    words: "MODEL",
    completes: "model",
    summary: "Unload a model",
    flags: { ...jsonFlag, ...serverFlags },
    examples: ["stop tiny", "stop --connect http://gpu-box:11434 tiny"],
    exitCodes: { 3: "Model not found", 8: "Server unreachable" },
  },
  logs: {
    name: "logs",
    synonyms: ["requests"],
    summary: "List requests to the running server",
    flags: {
      follow: {
        type: "boolean",
        short: "f",
        text: "Follow: print each request when it ends, and the progress of long prompts",
      },
      filter: {
        type: "string",
        value: "FILTER",
        text: "Only matching requests, such as 'status:5xx model:tiny -path:/v1 since:10m words'",
      },
      limit: {
        type: "integer",
        value: "N",
        text: "Only the newest N; default 50, with --follow 10",
        least: 1,
        most: 999_999_999,
      },
      ...jsonFlag,
      ...serverFlags,
    },
    examples: ["logs --limit 20", "logs -f --filter 'status:5xx since:10m'", "logs --json"],
    exitCodes: { 8: "No server is running" },
  },
} as const satisfies CommandTable;

export const cacheCommands = {
  listCache: {
    name: "cache list",
    aliases: ["cache ls"],
    words: "[MODEL]",
    completes: "model",
    summary: "List prompts stored on disk",
    flags: jsonFlag,
    examples: ["cache list", "cache list my-tiny --json"],
    exitCodes: { 3: "Model not found" },
    docs: "docs/operations.md",
  },
  clearCache: {
    name: "cache clear",
    synonyms: ["cache rm", "prune"],
    words: "[MODEL]",
    completes: "model",
    summary: "Remove prompts stored on disk",
    details:
      "A loaded model stores the prompts in its memory again; stop it first to remove them all.",
    flags: jsonFlag,
    examples: ["cache clear", "cache clear my-tiny"],
    exitCodes: { 3: "Model not found" },
    docs: "docs/operations.md",
  },
} as const satisfies CommandTable;

export const keyCommands = {
  createKey: {
    name: "keys create",
    summary: "Create a key for the server; it is shown once",
    flags: {
      name: { type: "string", value: "NAME", text: "What the key is for" },
      role: {
        type: "string",
        value: "ROLE",
        text: "infer: use models; manage: also change them and see all requests; default infer",
        values: ["infer", "manage"],
      },
      expires: { type: "time", text: "Expire after a time such as 30d or 12h" },
      ...jsonFlag,
    },
    examples: ["keys create --name laptop", "keys create --role manage --expires 30d"],
  },
  listKeys: {
    name: "keys list",
    aliases: ["keys ls"],
    summary: "List keys",
    flags: jsonFlag,
    examples: ["keys list", "keys list --json"],
  },
  revokeKey: {
    name: "keys revoke",
    words: "ID",
    summary: "Revoke a key",
    examples: ["keys revoke k_1a2b3c", "keys list"],
    exitCodes: { 3: "No such key" },
  },
} as const satisfies CommandTable;
