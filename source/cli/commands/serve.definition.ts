// Definition of modelctl serve: arguments, flags, help.
import { addressFlags, engineFlags, hostingFlags } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const serveDefinition = {
  name: "serve",
  aliases: ["start"],
  synonyms: ["server", "daemon"],
  words: "",
  summary: "Serve the OpenAI-compatible and Ollama APIs",
  flags: {
    ...addressFlags,
    ...engineFlags,
    ...hostingFlags,
    preload: {
      type: "string",
      value: "MODEL",
      text: "Load this model at start, and end if it cannot be loaded",
      completes: "model",
    },
    background: { type: "boolean", text: "Stop after five idle minutes" },
  },
  examples: ["serve", "serve --port 8080 --preload tiny", "serve --host 0.0.0.0 --log-format json"],
  exitCodes: { 5: "Port in use", 130: "Stopped with Ctrl+C" },
  docs: "docs/configuration.md",
} as const satisfies CommandDefinition;
