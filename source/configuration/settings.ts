// All settings: names, defaults, valid values, descriptions.
import path from "node:path";
import { toAbsolutePath } from "../base/file-path.ts";
import { parseAddress } from "./address.ts";
import {
  autoAs,
  boolean,
  byteSize,
  duration,
  expecting,
  integer,
  list,
  oneOf,
  type Reader,
  zeroAs,
} from "./setting-readers.ts";

/** @param folder base of relative paths */
type Reading<T> = (text: string, folder: string) => ReturnType<Reader<T>>;

export interface SettingDefinition<T> {
  read: Reading<T>;
  /** Separator between the items of a list; usually a comma. */
  divider?: string;
  /** Unit of a number that people type with a unit. */
  unit?: "milliseconds" | "bytes";
  default: T;
  /** Honours Ollama's variable of the same name when ours is unset. */
  honoursOllama?: boolean;
  description: string;
}

export const settingDefinitions = {
  host: optional({
    read: (text) => expecting(parseAddress(text), "an address such as 127.0.0.1:11434"),
    description: "Address that serve listens on and the other commands use.",
  }),
  tls: optional({
    read: oneOf("self-signed"),
    description:
      "HTTPS with a certificate of the server's own authority, which clients must trust: self-signed.",
  }),
  tls_cert: optional({
    read: file,
    description: "HTTPS with this certificate: a PEM file with the full chain.",
  }),
  tls_key: optional({
    read: file,
    description: "Private key of tls_cert: a PEM file.",
  }),
  keep_alive: setting({
    read: duration("5m, or -1 for no limit"),
    unit: "milliseconds",
    default: 5 * 60_000,
    honoursOllama: true,
    description: "Time that a model stays loaded after its last request.",
  }),
  context_length: optional({
    read: zeroAs(undefined, integer(0)),
    honoursOllama: true,
    description: "Context window of one conversation in tokens; 0 chooses by memory.",
  }),
  num_parallel: setting({
    read: integer(1, 256),
    default: 4,
    honoursOllama: true,
    description: "Requests that one model answers at a time; fewer when memory is short.",
  }),
  num_thread: optional({
    read: zeroAs(undefined, integer(0)),
    description: "Maximum threads for one model; 0 uses the performance cores.",
  }),
  max_loaded_models: setting({
    read: zeroAs(3, integer(0)),
    default: 3,
    honoursOllama: true,
    description: "Models loaded at the same time.",
  }),
  max_queue: setting({
    read: integer(1),
    default: 512,
    honoursOllama: true,
    description: "Requests that may wait for one model.",
  }),
  load_timeout: setting({
    read: duration("5m"),
    unit: "milliseconds",
    default: 5 * 60_000,
    honoursOllama: true,
    description: "Time limit for a load without progress.",
  }),
  template_timeout: setting({
    read: duration("5s"),
    unit: "milliseconds",
    default: 5000,
    description: "Time limit for rendering one prompt.",
  }),
  loose_calls: setting({
    read: boolean,
    default: true,
    description:
      "Read tool calls that a model writes as plain JSON, without the marks of its template.",
  }),
  gpu: setting({
    read: oneOf("auto", "cpu", "cuda", "metal", "rocm", "vulkan"),
    default: "auto",
    description: "Device that models run on.",
  }),
  flash_attention: setting({
    read: autoAs("auto", boolean),
    default: "auto",
    honoursOllama: true,
    description: "Flash attention: auto, true or false.",
  }),
  kv_cache_type: setting({
    read: oneOf("f16", "q8_0", "q4_0"),
    default: "f16",
    honoursOllama: true,
    description: "Data type of the context window.",
  }),
  kv_unified: setting({
    read: boolean,
    default: false,
    description:
      "One context memory for all parallel requests, for many short ones at a time; with long ones it is slower.",
  }),
  split_mode: optional({
    read: oneOf("layer", "row", "none"),
    description:
      "How models are spread over several GPUs: layer (the default), row for GPUs with a fast link, none for one GPU.",
  }),
  tensor_split: optional({
    read: (text) =>
      expecting(
        /^\d+(\.\d+)?(,\d+(\.\d+)?)*$/.test(text) ? text : undefined,
        "numbers separated by commas such as 3,1",
      ),
    description: "Share of each model for each GPU, such as 3,1; by free memory if unset.",
  }),
  prefill_chunk: optional({
    read: zeroAs(undefined, integer(0, 512)),
    description: "Maximum prompt tokens per step; 0 adapts to the machine.",
  }),
  mixed_batches: setting({
    read: boolean,
    default: false,
    description: "Process prompts and generate answers in the same step.",
  }),
  lookup_tokens: optional({
    read: autoAs(undefined, integer(0, 15)),
    description:
      "Maximum tokens to guess from the conversation so far in a step; auto guesses with models above 32 MiB, 0 disables it.",
  }),
  prefix_sharing: setting({
    read: boolean,
    default: true,
    description: "Compute a prefix that several conversations share only once.",
  }),
  conversation_cache: optional({
    read: autoAs(undefined, byteSize),
    unit: "bytes",
    description:
      "Memory of each model for conversations without a slot; auto adapts to the machine, 0 disables it.",
  }),
  prompt_cache: optional({
    read: autoAs(undefined, byteSize),
    unit: "bytes",
    description:
      "Disk space for prompts that survive a restart; auto adapts to the disk, 0 or nohistory disables it.",
  }),
  prompt_cache_age: setting({
    read: duration("168h, or -1 for no limit"),
    unit: "milliseconds",
    default: 7 * 24 * 3_600_000,
    description: "Time that a prompt stays on disk after its last use.",
  }),
  stable_prompts: setting({
    read: boolean,
    default: true,
    description:
      "Leave out parts that agents change in every request, so that the rest is not processed again.",
  }),
  default_model: optional({
    read: (text) => (text.trim() === "" ? { expected: "a model" } : { value: text.trim() }),
    description:
      "Model that a chat opens with; if unset, the one used last, or the best one of this machine.",
  }),
  find_models: setting({
    read: boolean,
    default: true,
    description:
      "Let the Models screen look for .gguf files in Downloads, ~/models and the caches of the hub's tools and llama.cpp.",
  }),
  model_folders: setting({
    read: (text, base) => ({
      value: text
        .split(path.delimiter)
        .filter((folder) => folder !== "")
        .map((folder) => toAbsolutePath(folder, base)),
    }),
    divider: path.delimiter,
    default: [],
    description: "Folders whose .gguf files any client may name by path.",
  }),
  models: optional({
    read: (text, base) =>
      text === "" ? { expected: "a folder" } : { value: toAbsolutePath(text, base) },
    // OLLAMA_MODELS names Ollama's own store, which is read and never written.
    description: "Folder of the model store.",
  }),
  hub_prefixes: setting({
    read: (text) => {
      const prefixes = list(text);
      const hasHost = prefixes.some((prefix) => !prefix.endsWith(":"));
      return hasHost && prefixes.every((prefix) => /^\w[\w.:-]*$/.test(prefix))
        ? { value: prefixes }
        : { expected: "hosts such as hf.co, separated by commas" };
    },
    default: ["hf.co", "huggingface.co", "hf:"],
    description: "Prefixes of OWNER/REPO in the names of hub models.",
  }),
  hub_endpoint: optional({
    read: (text) =>
      URL.canParse(text) ? { value: text } : { expected: "a URL such as https://huggingface.co" },
    description: "The hub's address; HF_ENDPOINT is honoured too.",
  }),
  llama_quantize: optional({
    read: (text, base) =>
      text === "" ? { expected: "a program" } : { value: toAbsolutePath(text, base) },
    description:
      "Path of llama-quantize, for create -q; if unset, it is built once from llama.cpp's sources.",
  }),
  origins: setting({
    read: (text) => ({ value: list(text) }),
    default: [],
    honoursOllama: true,
    description: "Allowed browser origins, besides the usual local ones.",
  }),
  allowed_hosts: setting({
    read: (text) => ({ value: list(text) }),
    default: [],
    description:
      "Host header names that a server on a loopback address accepts, besides the machine's own.",
  }),
  require_key: setting({
    read: autoAs("auto", boolean),
    default: "auto",
    description: "Require a key; auto requires one when other machines can reach the server.",
  }),
  insecure_no_key: setting({
    read: boolean,
    default: false,
    description: "Let other machines in without a key.",
  }),
  key_requests_per_minute: optional({
    read: zeroAs(undefined, integer(0)),
    description: "Requests per minute for one key; 0 sets no limit.",
  }),
  max_body_size: setting({
    read: byteSize,
    unit: "bytes",
    default: 256 * 2 ** 20,
    description: "Maximum size of a request body, including base64 images.",
  }),
  max_image_size: setting({
    read: byteSize,
    unit: "bytes",
    default: 20 * 2 ** 20,
    description: "Maximum size of an image in a request.",
  }),
  allow_remote_images: setting({
    read: boolean,
    default: false,
    description: "Fetch images from URLs in requests.",
  }),
  log_format: optional({
    read: oneOf("pretty", "json"),
    description: "Format of the server's log, pretty or json; if set, every request is logged.",
  }),
  log_prompts: setting({
    read: boolean,
    default: false,
    description: "Keep prompts, answers and bodies in memory, for GET /api/requests/ID.",
  }),
  shutdown_timeout: setting({
    read: duration("30s"),
    unit: "milliseconds",
    default: 30_000,
    description: "Time that a stopping server waits for running requests.",
  }),
  tool_start_timeout: setting({
    read: duration("60s"),
    unit: "milliseconds",
    default: 60_000,
    description: "Time limit for the start of a tool server.",
  }),
  tool_call_timeout: setting({
    read: duration("60s"),
    unit: "milliseconds",
    default: 60_000,
    description: "Time limit for one call of a tool.",
  }),
  max_tool_calls: setting({
    read: integer(1, 1000),
    default: 25,
    description: "Calls of tools for one message of a chat.",
  }),
  max_tool_result: setting({
    read: byteSize,
    unit: "bytes",
    default: 64 * 2 ** 10,
    description: "Maximum size of a tool's result for the model; the rest is cut off, with a note.",
  }),
  allow_reading_tools: setting({
    read: boolean,
    default: false,
    description: "Run tools without a question if their server says that they only read.",
  }),
  nohistory: setting({
    read: boolean,
    default: false,
    honoursOllama: true,
    description: "Keep no history of prompts.",
  }),
  theme: setting({
    read: oneOf("default", "mono", "high-contrast"),
    default: "default",
    description: "Colours of the full screen: default, mono or high-contrast.",
  }),
  debug: setting({
    // Ollama's 2 logs even more.
    read: (text) => (text === "2" ? { value: true } : boolean(text)),
    default: false,
    honoursOllama: true,
    description: "Log the engine's output, and a line for each request.",
  }),
};

export type Settings = {
  [Name in keyof typeof settingDefinitions]: (typeof settingDefinitions)[Name]["default"];
};

/** Infers the type of a setting from its reader. */
function setting<T>(definition: SettingDefinition<NoInfer<T>> & { read: Reading<T> }) {
  return definition as SettingDefinition<T>;
}

/** Like `setting`, for one whose value is chosen when it is needed. */
function file(text: string, folder: string) {
  return text === "" ? { expected: "a file" } : { value: toAbsolutePath(text, folder) };
}

function optional<T>(
  definition: Omit<SettingDefinition<T>, "default">,
): SettingDefinition<T | undefined> {
  return { ...definition, default: undefined };
}
