// All settings: names, defaults, valid values, descriptions.
import path from "node:path";
import { toAbsolutePath } from "../base/file-path.ts";
import { parseAddress, type ServerAddress } from "./address.ts";
import {
  boolean,
  byteSize,
  duration,
  expecting,
  integer,
  list,
  mapped,
  oneOf,
  type Reader,
} from "./setting-readers.ts";

export interface Settings {
  /** Undefined: the default port, or the next free one. */
  host: ServerAddress | undefined;
  keep_alive: number;
  context_length: number | undefined;
  num_parallel: number;
  num_thread: number | undefined;
  max_loaded_models: number;
  max_queue: number;
  load_timeout: number;
  template_timeout: number;
  gpu: "auto" | "cpu" | "cuda" | "metal" | "rocm" | "vulkan";
  flash_attention: boolean | "auto";
  kv_cache_type: "f16" | "q8_0" | "q4_0";
  prefill_chunk: number | undefined;
  mixed_batches: boolean;
  lookup_tokens: number;
  prefix_sharing: boolean;
  conversation_cache: number | undefined;
  prompt_cache: number | undefined;
  prompt_cache_age: number;
  stable_prompts: boolean;
  model_folders: string[];
  models: string | undefined;
  hub_prefixes: string[];
  hub_endpoint: string | undefined;
  llama_quantize: string | undefined;
  origins: string[];
  allowed_hosts: string[];
  require_key: boolean | "auto";
  insecure_no_key: boolean;
  key_requests_per_minute: number | undefined;
  max_body_size: number;
  max_image_size: number;
  allow_remote_images: boolean;
  log_format: "pretty" | "json" | undefined;
  log_prompts: boolean;
  shutdown_timeout: number;
  nohistory: boolean;
  theme: "default" | "mono" | "high-contrast";
  debug: boolean;
}

export interface SettingDefinition<T> {
  /** @param folder base of relative paths */
  read: (text: string, folder: string) => ReturnType<Reader<T>>;
  /** Separator between the items of a list; usually a comma. */
  divider?: string;
  /** Unit of a number that people type with a unit. */
  unit?: "milliseconds" | "bytes";
  default: T;
  /** Honours Ollama's variable of the same name when ours is unset. */
  honoursOllama: boolean;
  description: string;
}

export const settingDefinitions: { [K in keyof Settings]: SettingDefinition<Settings[K]> } = {
  host: {
    read: (text) => expecting(parseAddress(text), "an address such as 127.0.0.1:11434"),
    default: undefined,
    honoursOllama: false,
    description: "Address that serve listens on and the other commands use.",
  },
  keep_alive: {
    read: duration("5m, or -1 for no limit"),
    unit: "milliseconds",
    default: 5 * 60_000,
    honoursOllama: true,
    description: "Time that a model stays loaded after its last request.",
  },
  context_length: {
    read: (text) => mapped(integer(0)(text), (value) => (value === 0 ? undefined : value)),
    default: undefined,
    honoursOllama: true,
    description: "Context window of one conversation in tokens; 0 chooses by memory.",
  },
  num_parallel: {
    read: integer(1, 256),
    default: 4,
    honoursOllama: true,
    description: "Requests that one model answers at a time; fewer when memory is short.",
  },
  num_thread: {
    read: (text) => mapped(integer(0)(text), (value) => (value === 0 ? undefined : value)),
    default: undefined,
    honoursOllama: false,
    description: "Maximum threads for one model; 0 uses the performance cores.",
  },
  max_loaded_models: {
    read: (text) => mapped(integer(0)(text), (value) => (value === 0 ? 3 : value)),
    default: 3,
    honoursOllama: true,
    description: "Models loaded at the same time.",
  },
  max_queue: {
    read: integer(1),
    default: 512,
    honoursOllama: true,
    description: "Requests that may wait for one model.",
  },
  load_timeout: {
    read: duration("5m"),
    unit: "milliseconds",
    default: 5 * 60_000,
    honoursOllama: true,
    description: "Time limit for a load without progress.",
  },
  template_timeout: {
    read: duration("5s"),
    unit: "milliseconds",
    default: 5000,
    honoursOllama: false,
    description: "Time limit for rendering one prompt.",
  },
  gpu: {
    read: oneOf("auto", "cpu", "cuda", "metal", "rocm", "vulkan"),
    default: "auto",
    honoursOllama: false,
    description: "Device that models run on.",
  },
  flash_attention: {
    read: (text) => (text === "auto" ? { value: "auto" } : boolean(text)),
    default: "auto",
    honoursOllama: true,
    description: "Flash attention: auto, true or false.",
  },
  kv_cache_type: {
    read: oneOf("f16", "q8_0", "q4_0"),
    default: "f16",
    honoursOllama: true,
    description: "Data type of the context window.",
  },
  prefill_chunk: {
    read: (text) => mapped(integer(0, 512)(text), (value) => (value === 0 ? undefined : value)),
    default: undefined,
    honoursOllama: false,
    description: "Maximum prompt tokens per step; 0 adapts to the machine.",
  },
  mixed_batches: {
    read: boolean,
    default: false,
    honoursOllama: false,
    description: "Process prompts and generate answers in the same step.",
  },
  lookup_tokens: {
    read: integer(0, 15),
    default: 0,
    honoursOllama: false,
    description: "Tokens to predict from the conversation so far; 0 disables it.",
  },
  prefix_sharing: {
    read: boolean,
    default: true,
    honoursOllama: false,
    description: "Compute a prefix that several conversations share only once.",
  },
  conversation_cache: {
    read: (text) => (text === "auto" ? { value: undefined } : byteSize(text)),
    unit: "bytes",
    default: undefined,
    honoursOllama: false,
    description:
      "Memory of each model for conversations without a slot; auto adapts to the machine, 0 disables it.",
  },
  prompt_cache: {
    read: (text) => (text === "auto" ? { value: undefined } : byteSize(text)),
    unit: "bytes",
    default: undefined,
    honoursOllama: false,
    description:
      "Disk space for prompts that survive a restart; auto adapts to the disk, 0 or nohistory disables it.",
  },
  prompt_cache_age: {
    read: duration("168h, or -1 for no limit"),
    unit: "milliseconds",
    default: 7 * 24 * 3_600_000,
    honoursOllama: false,
    description: "Time that a prompt stays on disk after its last use.",
  },
  stable_prompts: {
    read: boolean,
    default: true,
    honoursOllama: false,
    description:
      "Leave out parts that agents change in every request, so that the rest is not processed again.",
  },
  model_folders: {
    read: (text, base) => ({
      value: text
        .split(path.delimiter)
        .filter((folder) => folder !== "")
        .map((folder) => toAbsolutePath(folder, base)),
    }),
    divider: path.delimiter,
    default: [],
    honoursOllama: false,
    description: "Folders whose .gguf files any client may name by path.",
  },
  models: {
    read: (text, base) =>
      text === "" ? { expected: "a folder" } : { value: toAbsolutePath(text, base) },
    default: undefined,
    // OLLAMA_MODELS names Ollama's own store, which is read and never written.
    honoursOllama: false,
    description: "Folder of the model store.",
  },
  hub_prefixes: {
    read: (text) => {
      const prefixes = list(text);
      const hasHost = prefixes.some((prefix) => !prefix.endsWith(":"));
      return hasHost && prefixes.every((prefix) => /^\w[\w.:-]*$/.test(prefix))
        ? { value: prefixes }
        : { expected: "hosts such as hf.co, separated by commas" };
    },
    default: ["hf.co", "huggingface.co", "hf:"],
    honoursOllama: false,
    description: "Prefixes of OWNER/REPO in the names of hub models.",
  },
  hub_endpoint: {
    read: (text) =>
      URL.canParse(text) ? { value: text } : { expected: "a URL such as https://huggingface.co" },
    default: undefined,
    honoursOllama: false,
    description: "The hub's address; HF_ENDPOINT is honoured too.",
  },
  llama_quantize: {
    read: (text, base) =>
      text === "" ? { expected: "a program" } : { value: toAbsolutePath(text, base) },
    default: undefined,
    honoursOllama: false,
    description:
      "Path of llama-quantize, for create -q; if unset, it is built once from llama.cpp's sources.",
  },
  origins: {
    read: (text) => ({ value: list(text) }),
    default: [],
    honoursOllama: true,
    description: "Allowed browser origins, besides the usual local ones.",
  },
  allowed_hosts: {
    read: (text) => ({ value: list(text) }),
    default: [],
    honoursOllama: false,
    description:
      "Host header names that a server on a loopback address accepts, besides the machine's own.",
  },
  require_key: {
    read: (text) => (text === "auto" ? { value: "auto" } : boolean(text)),
    default: "auto",
    honoursOllama: false,
    description: "Require a key; auto requires one when other machines can reach the server.",
  },
  insecure_no_key: {
    read: boolean,
    default: false,
    honoursOllama: false,
    description: "Let other machines in without a key.",
  },
  key_requests_per_minute: {
    read: (text) => mapped(integer(0)(text), (value) => (value === 0 ? undefined : value)),
    default: undefined,
    honoursOllama: false,
    description: "Requests per minute for one key; 0 sets no limit.",
  },
  max_body_size: {
    read: byteSize,
    unit: "bytes",
    default: 256 * 2 ** 20,
    honoursOllama: false,
    description: "Maximum size of a request body, including base64 images.",
  },
  max_image_size: {
    read: byteSize,
    unit: "bytes",
    default: 20 * 2 ** 20,
    honoursOllama: false,
    description: "Maximum size of an image in a request.",
  },
  allow_remote_images: {
    read: boolean,
    default: false,
    honoursOllama: false,
    description: "Fetch images from URLs in requests.",
  },
  log_format: {
    read: oneOf("pretty", "json"),
    default: undefined,
    honoursOllama: false,
    description: "Format of the server's log, pretty or json; if set, every request is logged.",
  },
  log_prompts: {
    read: boolean,
    default: false,
    honoursOllama: false,
    description: "Keep prompts, answers and bodies in memory, for GET /api/requests/ID.",
  },
  shutdown_timeout: {
    read: duration("30s"),
    unit: "milliseconds",
    default: 30_000,
    honoursOllama: false,
    description: "Time that a stopping server waits for running requests.",
  },
  nohistory: {
    read: boolean,
    default: false,
    honoursOllama: true,
    description: "Keep no history of prompts.",
  },
  theme: {
    read: oneOf("default", "mono", "high-contrast"),
    default: "default",
    honoursOllama: false,
    description: "Colours of the full screen: default, mono or high-contrast.",
  },
  debug: {
    // Ollama's 2 logs even more.
    read: (text) => (text === "2" ? { value: true } : boolean(text)),
    default: false,
    honoursOllama: true,
    description: "Log the engine's output, and a line for each request.",
  },
};
