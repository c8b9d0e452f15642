// Commands of modelctl for chats: arguments, flags, help.
import {
  chatFlags,
  engineFlags,
  insecureFlag,
  jsonFlag,
  projectorFlag,
  screenFlags,
  serverFlags,
} from "../flags.ts";
import type { CommandDefinition, CommandTable } from "../program/definition.ts";

export const startCommand = {
  name: "",
  summary: "Open the full screen: chat, models, server",
  flags: { ...chatFlags, ...screenFlags, ...serverFlags, ...engineFlags },
  examples: ["", 'run tiny "What is the capital of France?"', "pull hf.co/OWNER/REPO:Q4_K_M"],
} as const satisfies CommandDefinition;

export const chatCommands = {
  run: {
    name: "run",
    synonyms: ["chat", "ask", "generate"],
    words: "[MODEL] [PROMPT…]",
    completes: "model",
    summary: "Chat with a model, or print one answer",
    details: `MODEL is tiny (built in), a name from \`modelctl list\`, hf.co/OWNER/REPO[:QUANT], or a path to a
.gguf file; it is optional with --session. Text on standard input is put before PROMPT.
Without a prompt, a chat opens. Image paths in the prompt attach the images.`,
    flags: {
      json: {
        type: "boolean",
        text: "Print one JSON object with the answer, token counts and timings",
      },
      stream: { type: "boolean", text: "With --json: print each event on its own line" },
      ...chatFlags,
      ...projectorFlag,
      dimensions: {
        type: "integer",
        value: "N",
        text: "Length of an embedding model's vector",
        least: 1,
        most: 999_999,
      },
      truncate: { type: "boolean", text: "Truncate text that is too long for an embedding model" },
      ...insecureFlag,
      ...screenFlags,
      ...serverFlags,
      ...engineFlags,
    },
    examples: [
      "run tiny",
      'run tiny "What is the capital of France?" --temperature 0 --seed 1',
      'run tiny --json "Name three rivers." --num-predict 64',
      'cat notes.txt | % run tiny "Summarise:"',
    ],
    exitCodes: {
      3: "Model not found",
      4: "Key missing or refused",
      6: "Model failed to load",
      8: "Server unreachable",
      130: "Interrupted",
    },
  },
  sessions: {
    name: "sessions",
    synonyms: ["history", "chats"],
    words: "[WORDS…]",
    summary: "List saved chats, or those that contain all words",
    flags: {
      remove: {
        type: "string",
        value: "NAME",
        text: "Delete the saved chat with this name or id, and its images",
        completes: "session",
      },
      ...jsonFlag,
    },
    examples: ["sessions", "sessions rust lifetimes", "sessions --remove 12"],
    exitCodes: { 3: "No such chat" },
  },
} as const satisfies CommandTable;
