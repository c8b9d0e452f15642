// Commands of modelctl for chats: arguments, flags, help.
import { agents } from "../../agents/agents.ts";
import {
  chatFlags,
  engineFlags,
  insecureFlag,
  jsonFlag,
  projectorFlag,
  screenFlags,
  serverFlags,
  toolFlags,
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
.gguf file; without one, default_model, the model used last, or the best one here. Text on standard input is put before PROMPT.
Without a prompt, a chat opens. Image paths in the prompt attach the images.`,
    flags: {
      json: {
        type: "boolean",
        text: "Print one JSON object with the answer, token counts and timings",
      },
      stream: { type: "boolean", text: "With --json: print each event on its own line" },
      ...chatFlags,
      ...toolFlags,
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
  launch: {
    name: "launch",
    synonyms: ["agent", "code", "codex", "claude", "opencode"],
    words: "[AGENT] [MODEL]",
    passesOn: "ARGUMENTS",
    completes: agents.map(({ name }) => name),
    completesSecond: "model",
    summary: "Start a coding agent on a model",
    details: `AGENT is one of ${agents.map(({ name }) => name).join(", ")}.
Without it, a menu shows those that are installed, and how to install the others. The agent's own
files stay as they are: it is pointed at the server for this run only. ARGUMENTS go to the agent.`,
    flags: {
      dryRun: { type: "boolean", text: "Print the agent's command with its environment" },
      printConfig: {
        type: "boolean",
        text: "Print what to put into the agent's own configuration to use this server without launch",
      },
      ...serverFlags,
      ...engineFlags,
    },
    examples: [
      "launch",
      "launch codex qwen",
      'launch codex qwen -- exec "Explain this project."',
      "launch claude qwen --dry-run",
    ],
    exitCodes: {
      3: "Agent unknown or not installed, or model not found",
      4: "The model cannot work with the agent, or a key is missing",
      6: "Model failed to load",
      8: "Server unreachable",
    },
    docs: "docs/agents.md",
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
