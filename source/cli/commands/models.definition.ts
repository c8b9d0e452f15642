// Commands of modelctl for models: arguments, flags, help.
import {
  forceFlag,
  insecureFlag,
  jsonFlag,
  limitRateFlag,
  projectorFlag,
  serverFlags,
} from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const listDefinition = {
  name: "list",
  aliases: ["ls"],
  synonyms: ["models"],
  words: "[PREFIX]",
  completes: "model",
  summary: "List models on this machine",
  flags: {
    store: {
      type: "string",
      value: "STORE",
      text: "Only models of one store",
      values: ["modelctl", "ollama", "lm-studio", "built-in"],
    },
    ...jsonFlag,
  },
  examples: ["list", "list qwen", "list --store ollama --json"],
} as const satisfies CommandDefinition;

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

export const searchDefinition = {
  name: "search",
  synonyms: ["find"],
  words: "WORDS…",
  summary: "Search the hub for models, with quantizations, sizes and fit",
  flags: {
    limit: {
      type: "integer",
      value: "N",
      text: "Maximum repositories to list; default 5",
      least: 1,
      most: 20,
    },
    ...jsonFlag,
  },
  examples: ["search qwen3 instruct", "search llama --limit 10 --json"],
  exitCodes: { 3: "Nothing found", 4: "Hub refused access", 8: "Hub unreachable" },
} as const satisfies CommandDefinition;

export const pullDefinition = {
  name: "pull",
  synonyms: ["install", "add", "get"],
  words: "MODEL",
  summary: "Pull a model from the hub",
  details: `MODEL is hf.co/OWNER/REPO[:QUANT]; without QUANT the default one is pulled. An interrupted pull resumes.`,
  flags: { ...limitRateFlag, ...insecureFlag, ...jsonFlag },
  examples: [
    "pull hf.co/OWNER/REPO",
    "pull hf.co/OWNER/REPO:Q4_K_M --limit-rate 5M",
    "search qwen",
  ],
  exitCodes: {
    3: "Model not found",
    4: "Hub refused access",
    8: "Hub unreachable",
    130: "Interrupted",
  },
} as const satisfies CommandDefinition;

export const createDefinition = {
  name: "create",
  synonyms: ["build", "make"],
  words: "NAME",
  summary: "Create a model from a Modelfile, or replace one",
  details: "Without --file, it uses Modelfile in this folder, or else the .gguf file in it.",
  flags: {
    file: { type: "string", value: "FILE", short: "f", text: "Modelfile; - reads standard input" },
    ...projectorFlag,
    quantize: {
      type: "string",
      value: "TYPE",
      short: "q",
      text: "Quantize F16, BF16 or F32 weights, for example to q4_K_M",
      // The usual ones.
      completes: ["q4_K_S", "q4_K_M", "q5_K_M", "q6_K", "q8_0"],
    },
    copy: { type: "boolean", text: "Copy the file into the store instead of referring to it" },
    ...limitRateFlag,
    ...jsonFlag,
  },
  examples: ["create pirate -f Modelfile", "create small -f Modelfile -q q4_K_M"],
  exitCodes: { 3: "Base model not found", 130: "Interrupted" },
} as const satisfies CommandDefinition;

export const cpDefinition = {
  name: "cp",
  synonyms: ["copy", "rename"],
  words: "SOURCE DESTINATION",
  completes: "model",
  summary: "Copy a model to a second name",
  flags: { ...forceFlag, ...jsonFlag },
  examples: ["cp tiny my-tiny", "cp tiny my-tiny --force"],
  exitCodes: { 3: "Model not found", 5: "Destination exists" },
} as const satisfies CommandDefinition;

export const rmDefinition = {
  name: "rm",
  synonyms: ["remove", "delete", "uninstall"],
  words: "MODEL…",
  completes: "own models",
  summary: "Remove models",
  flags: {
    force: { type: "boolean", text: "Remove models that deployments of deployctl serve" },
    ...jsonFlag,
    ...serverFlags,
  },
  examples: ["rm my-tiny", "rm my-tiny hf.co/OWNER/REPO:Q4_K_M"],
  exitCodes: { 3: "Model not found", 5: "Served by a deployment" },
} as const satisfies CommandDefinition;

export const exportDefinition = {
  name: "export",
  synonyms: ["save", "push"],
  words: "MODEL FILE",
  completes: "model",
  summary: "Export a model to one file, or to a pipe with -",
  flags: jsonFlag,
  examples: ["export tiny tiny.tar", "% export tiny - | ssh HOST % import -"],
  exitCodes: { 3: "Model not found" },
} as const satisfies CommandDefinition;

export const importDefinition = {
  name: "import",
  synonyms: ["load"],
  words: "FILE",
  summary: "Import models written by export; - reads a pipe",
  flags: {
    as: { type: "string", value: "NAME", text: "Name to import the model under" },
    ...forceFlag,
    ...jsonFlag,
  },
  examples: ["import tiny.tar", "import tiny.tar --as my-tiny", "import - < tiny.tar"],
  exitCodes: { 5: "A model of this name exists" },
} as const satisfies CommandDefinition;

export const downloadDefinition = {
  name: "download",
  synonyms: ["fetch"],
  words: "OWNER/REPO [FILE]",
  summary: "Download a file of a hub repository to a folder",
  flags: {
    localDir: { type: "string", value: "FOLDER", text: "Folder to save in; default this one" },
    revision: { type: "string", value: "REV", text: "Branch, tag or commit of the repository" },
    force: { type: "boolean", text: "Replace a different file of that name" },
    ...limitRateFlag,
    ...jsonFlag,
  },
  examples: [
    "download OWNER/REPO model-Q4_K_M.gguf",
    "download OWNER/REPO:Q4_K_M --local-dir models",
  ],
  exitCodes: {
    3: "File not found",
    4: "Hub refused access",
    5: "A different file exists",
    8: "Hub unreachable",
  },
} as const satisfies CommandDefinition;
