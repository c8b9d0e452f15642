// Every flag there is: its kind, how help explains it. A command lists the ones that it takes.

import { type FlagDefinition, type FlagsOf, typedNameIn } from "./program.ts";

export const flagTable = {
  host: { type: "string", value: "HOST", text: "address to bind or to reach (MODELCTL_HOST)" },
  port: { type: "string", value: "PORT", text: "port to bind or to reach; usually 11434" },
  connect: { type: "string", value: "URL", text: "use the server at URL and start none" },
  key: { type: "string", value: "KEY", text: "key for that server" },
  gpu: {
    type: "string",
    value: "DEVICE",
    text: "auto, cpu, cuda, metal, rocm or vulkan (MODELCTL_GPU)",
    values: ["auto", "cpu", "cuda", "metal", "rocm", "vulkan"],
  },
  "num-parallel": {
    type: "string",
    value: "N",
    text: "requests that a model answers at the same time; usually 4",
  },
  "context-length": {
    type: "string",
    value: "N",
    text: "tokens of one conversation's window; usually 4096",
  },
  keepalive: {
    type: "string",
    value: "TIME",
    text: "how long the model stays loaded afterwards, such as 10m; -1 for good",
  },
  system: { type: "string", value: "TEXT", text: "system text" },
  format: {
    type: "string",
    value: "FORMAT",
    text: "json, or a JSON schema that the answer must fit",
    values: ["json"],
  },
  think: {
    type: "string",
    value: "LEVEL",
    bare: "true",
    text: "whether the model thinks first: true, false, low, medium, high or max",
    values: ["true", "false", "low", "medium", "high", "max"],
  },
  hidethinking: { type: "boolean", text: "do not show what the model thinks" },
  nowordwrap: { type: "boolean", text: "accepted for Ollama's sake: nothing is wrapped anyway" },
  insecure: { type: "boolean", text: "accepted for Ollama's sake: HF_ENDPOINT may be http anyway" },
  dimensions: { type: "string", value: "N", text: "numbers of the vector of an embedding model" },
  truncate: { type: "boolean", text: "cut a text that is too long for an embedding model" },
  session: {
    type: "string",
    value: "NAME",
    text: "go on with the saved chat of that name or number, or begin one",
    values: "session",
  },
  remove: {
    type: "string",
    value: "NAME",
    text: "remove the saved chat of that name or number, with its images",
    values: "session",
  },
  mmproj: {
    type: "string",
    value: "FILE",
    text: "the projector that lets the model see; a GGUF file",
  },
  preload: { type: "string", value: "MODEL", text: "load this model at once", values: "model" },
  verbose: { type: "boolean", text: "print counts and times after each answer" },
  plain: { type: "boolean", text: "a line loop instead of the full screen" },
  inline: { type: "boolean", text: "the screen below what the terminal shows, not in place of it" },
  "screen-reader": { type: "boolean", text: "plain lines with labels, for screen readers" },
  theme: {
    type: "string",
    value: "THEME",
    text: "default, mono or high-contrast (MODELCTL_THEME)",
    values: ["default", "mono", "high-contrast"],
  },
  debug: { type: "boolean", text: "log what the engine says" },
  background: { type: "boolean", text: "leave when idle for five minutes" },
  origin: { type: "boolean", text: "tell where each value comes from" },
  "insecure-no-key": { type: "boolean", text: "let other machines in without a key" },
  "log-format": {
    type: "string",
    value: "FORM",
    text: "pretty or json; also logs a line for each request",
    values: ["pretty", "json"],
  },
  name: { type: "string", value: "NAME", text: "what the key is for" },
  role: {
    type: "string",
    value: "ROLE",
    text: "infer: use models; manage: also change them and see all requests; usually infer",
    values: ["infer", "manage"],
  },
  expires: { type: "string", value: "TIME", text: "until when it works, such as 30d or 12h" },
  follow: { type: "boolean", text: "go on with each request that ends" },
  filter: {
    type: "string",
    value: "FILTER",
    text: "only some, such as 'status:5xx model:tiny -path:/v1 since:10m words'",
  },
  limit: { type: "string", value: "N", text: "only the newest N" },
  json: { type: "boolean", text: "print JSON, for programs" },
  store: {
    type: "string",
    value: "STORE",
    text: "only models of one store: modelctl, ollama, lm-studio or built-in",
    values: ["modelctl", "ollama", "lm-studio", "built-in"],
  },
  license: { type: "boolean", text: "print the licence" },
  modelfile: { type: "boolean", text: "print the Modelfile" },
  parameters: { type: "boolean", text: "print the parameters" },
  template: { type: "boolean", text: "print the template that is in force" },
  "show-system": { type: "boolean", typed: "system", text: "print the system text" },
  "show-verbose": {
    type: "boolean",
    typed: "verbose",
    text: "also the file's metadata and its tensors",
  },
  rendered: {
    type: "boolean",
    text: "print the exact prompt of a sample chat, or of --conversation",
  },
  conversation: {
    type: "string",
    value: "FILE",
    text: "JSON: messages, or an object with messages and tools; - reads standard input",
  },
  file: { type: "string", value: "FILE", text: "the Modelfile; - reads standard input" },
  vision: {
    type: "boolean",
    text: "only what reads images for the engine that is there: a minute",
  },
  quantize: {
    type: "string",
    value: "TYPE",
    text: "quantise F16, BF16 or F32, such as to q4_K_M",
    // The usual ones of those there are.
    values: ["q4_K_S", "q4_K_M", "q5_K_M", "q6_K", "q8_0"],
  },
  copy: { type: "boolean", text: "take the file into the store instead of referring to it" },
  "limit-rate": { type: "string", value: "RATE", text: "bytes a second at most, such as 5M" },
  "local-dir": { type: "string", value: "FOLDER", text: "where to save; usually this folder" },
  revision: { type: "string", value: "REV", text: "branch, tag or commit of the repository" },
  force: { type: "boolean", text: "replace a different file of that name" },
  as: { type: "string", value: "NAME", text: "the name to import the model under" },
} as const satisfies Record<string, FlagDefinition>;

export type FlagName = keyof typeof flagTable;

/** Flags as typed; those that were not typed are absent. */
export type Flags = FlagsOf<typeof flagTable>;

/** What stands behind the dashes. */
export function typedName(name: FlagName): string {
  return typedNameIn(flagTable, name);
}
