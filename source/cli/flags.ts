// Flags that several commands of modelctl share; a command's definition adds its own.
import type { FlagsOf, FlagTable } from "./program/definition.ts";

export const jsonFlag = {
  json: { type: "boolean", text: "Print JSON" },
} as const satisfies FlagTable;

/** For commands that listen on an address or connect to one. */
export const addressFlags = {
  host: {
    type: "string",
    value: "HOST",
    text: "Address to listen on or connect to (MODELCTL_HOST)",
  },
  port: {
    type: "integer",
    value: "PORT",
    text: "Port to listen on or connect to; default 11434",
    least: 0,
    most: 65_535,
  },
} as const satisfies FlagTable;

/** For commands that talk to a server. */
export const serverFlags = {
  ...addressFlags,
  connect: { type: "string", value: "URL", text: "Use the server at URL; never start one" },
  key: { type: "string", value: "KEY", text: "Key for that server" },
} as const satisfies FlagTable;

export const gpuFlag = {
  gpu: {
    type: "string",
    value: "DEVICE",
    text: "Device that models run on (MODELCTL_GPU)",
    values: ["auto", "cpu", "cuda", "metal", "rocm", "vulkan"],
  },
} as const satisfies FlagTable;

/** For commands that may start a server. */
export const engineFlags = {
  ...gpuFlag,
  numParallel: {
    type: "integer",
    text: "Requests that a model answers at a time; default 4",
    least: 1,
    most: 256,
  },
  contextLength: {
    type: "integer",
    text: "Context window of one conversation in tokens; by memory, at least 4096",
    least: 0,
  },
  debug: { type: "boolean", text: "Log the engine's output" },
} as const satisfies FlagTable;

export const tlsFlags = {
  tls: {
    type: "string",
    value: "MODE",
    text: "HTTPS with a certificate of the server's own authority; prints what clients must trust",
    values: ["self-signed"],
  },
  tlsCert: { type: "string", value: "FILE", text: "HTTPS with this certificate" },
  tlsKey: { type: "string", value: "FILE", text: "Private key of --tls-cert" },
} as const satisfies FlagTable;

/** For commands that host a server. */
export const hostingFlags = {
  insecureNoKey: { type: "boolean", text: "Let other machines in without a key" },
  logFormat: {
    type: "string",
    value: "FORMAT",
    text: "Log a line for each request in this format",
    values: ["pretty", "json"],
  },
} as const satisfies FlagTable;

/** Options of a request, which override the model's parameters. */
export const optionFlags = {
  temperature: {
    type: "number",
    text: "Randomness of the answer; 0 always takes the likeliest token",
    least: 0,
  },
  topP: {
    type: "number",
    text: "Sample from the likeliest tokens that add up to this probability",
    least: 0,
    most: 1,
  },
  numCtx: { type: "integer", text: "Context window of this model in tokens", least: 1 },
  draft: {
    type: "string",
    value: "MODEL",
    text: "Small model of the same vocabulary that drafts the answer, where that is faster",
    completes: "model",
  },
  specType: {
    type: "string",
    value: "TYPE",
    text: "draft-mtp: the model's MTP heads draft the answer, where that is faster; none: no drafts by it",
    values: ["none", "draft-mtp"],
  },
  nCpuMoe: {
    type: "integer",
    value: "LAYERS",
    text: "Keep the experts of this many layers in memory, for mixtures of experts larger than the GPU",
    least: 0,
  },
  seed: {
    type: "integer",
    text: "Same seed, same answer, up to near-ties between tokens; exact with tiny",
    least: -1,
  },
  numPredict: { type: "integer", text: "Maximum tokens to generate; -1 for no limit", least: -2 },
} as const satisfies FlagTable;

export const chatFlags = {
  system: { type: "string", value: "TEXT", text: "System prompt" },
  ...optionFlags,
  format: {
    type: "string",
    value: "FORMAT",
    text: "json, or a JSON schema or file with one that the answer must fit",
    completes: ["json"],
  },
  think: {
    type: "string",
    value: "LEVEL|N",
    bare: "true",
    text: "Let the model think first; N limits it to so many tokens",
    values: ["true", "false", "low", "medium", "high", "max"],
    orNumberFrom: -1,
  },
  hidethinking: { type: "boolean", text: "Do not show the model's thinking" },
  keepalive: {
    type: "string",
    value: "TIME",
    text: "Keep the model loaded afterwards for a time such as 10m; -1 never unloads it",
  },
  session: {
    type: "string",
    value: "NAME",
    text: "Resume the saved chat with this name or id, or start one",
    completes: "session",
  },
  nowordwrap: { type: "boolean", text: "Do not wrap the answer at words" },
  verbose: { type: "boolean", text: "Print token counts and timings after each answer" },
  plain: { type: "boolean", text: "Chat line by line instead of on the full screen" },
} as const satisfies FlagTable;

export const toolFlags = {
  tools: {
    type: "strings",
    value: "SERVER,…",
    text: "Let the model call the tools of these servers: files, web, shell, and those of modelctl mcp",
    completes: "tool server",
  },
  allow: {
    type: "strings",
    value: "TOOL,…",
    text: "Run these tools without a question: NAME, or SERVER:NAME",
  },
  allowCommand: {
    type: "strings",
    value: "PATTERN",
    text: "Run commands that fit it without a question; * stands for any text within one command",
  },
} as const satisfies FlagTable;

export const screenFlags = {
  inline: { type: "boolean", text: "Draw the screen below the shell's output, not in place of it" },
  screenReader: { type: "boolean", text: "Print plain labelled lines for screen readers" },
  theme: {
    type: "string",
    value: "THEME",
    text: "Colours of the screen (MODELCTL_THEME)",
    values: ["default", "mono", "high-contrast"],
  },
} as const satisfies FlagTable;

export const projectorFlag = {
  mmproj: { type: "string", value: "FILE", text: "Projector (GGUF file) for image input" },
} as const satisfies FlagTable;

export const limitRateFlag = {
  limitRate: { type: "string", value: "RATE", text: "Maximum bytes per second, such as 5M" },
} as const satisfies FlagTable;

/** Ollama's flag for registries without TLS; here the hub's address decides. */
export const insecureFlag = {
  insecure: { type: "boolean", text: "No effect; HF_ENDPOINT may be http", isHidden: true },
} as const satisfies FlagTable;

export const forceFlag = {
  force: { type: "boolean", text: "Replace an existing model" },
} as const satisfies FlagTable;

type SharedFlags = typeof jsonFlag &
  typeof serverFlags &
  typeof engineFlags &
  typeof hostingFlags &
  typeof tlsFlags &
  typeof chatFlags &
  typeof toolFlags &
  typeof screenFlags &
  typeof projectorFlag &
  typeof limitRateFlag;

export type Flags = FlagsOf<SharedFlags>;
