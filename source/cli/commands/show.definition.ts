// Definition of modelctl show: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const showDefinition = {
  name: "show",
  synonyms: ["info", "inspect"],
  words: "MODEL",
  completes: "model",
  summary: "Show a model's details, Modelfile, template, licence or exact prompt",
  flags: {
    license: { type: "boolean", text: "Print the licence" },
    modelfile: { type: "boolean", text: "Print the Modelfile" },
    parameters: { type: "boolean", text: "Print the parameters" },
    template: { type: "boolean", text: "Print the prompt template in use" },
    system: { type: "boolean", text: "Print the system prompt" },
    rendered: {
      type: "boolean",
      text: "Print the exact prompt of a sample chat, or of --conversation",
    },
    conversation: {
      type: "string",
      value: "FILE",
      text: "JSON with messages, or an object with messages and tools; - reads standard input",
    },
    verbose: { type: "boolean", short: "v", text: "Add the file's metadata and tensors" },
    ...jsonFlag,
  },
  examples: ["show tiny", "show tiny --modelfile", "show tiny --rendered --conversation chat.json"],
  exitCodes: { 3: "Model not found" },
} as const satisfies CommandDefinition;
