// Interface to @fugood/llama.node; the only file that knows its native classes.
//
// Skips its JavaScript layer, which silently replaces a variant that cannot be loaded.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import { engineErrors } from "../errors.ts";
import type { DeviceKind } from "../generation.ts";
import { type DeviceSetting, devicesToTry, lookForDevice } from "../text/choose-device.ts";

/** Version that this code was written against; package.json pins the same. */
export const bindingVersion = "1.7.15";

export interface BindingOptions {
  model: string;
  n_ctx: number;
  n_batch: number;
  n_ubatch: number;
  n_threads: number;
  n_gpu_layers: number;
  n_parallel: 1;
  flash_attn_type: "auto" | "on" | "off";
  cache_type_k: string;
  cache_type_v: string;
  use_mmap: boolean;
  ctx_shift: false;
  lora_list: Array<{ path: string; scaled: number }>;
}

export interface CompletionOptions {
  /** Control tokens in the text take effect; images stand at `imageMark`. */
  prompt: string;
  media_paths?: string[];
  n_predict: number;
  temperature: number;
  top_k: number;
  top_p: number;
  min_p: number;
  penalty_last_n: number;
  penalty_repeat: number;
  penalty_freq: number;
  penalty_present: number;
  xtc_probability: number;
  dry_multiplier: number;
  seed: number;
  grammar?: string;
}

export interface CompletionResult {
  /** Whole answer; pieces of it may still arrive. */
  text: string;
  interrupted: boolean;
  stopped_eos: boolean;
  timings: { prompt_n: number };
}

export interface BindingContext {
  getModelInfo(): { desc: string; nParams: number; size: number };
  getUsedDevices(): string[];
  initMultimodal(options: { path: string; use_gpu: boolean }): boolean;
  getMultimodalSupport(): { vision: boolean };
  /** An image yields as many tokens as it takes; their values mean nothing. */
  tokenize(text: string, mediaPaths?: string[]): Promise<{ tokens: Int32Array }>;
  detokenize(tokens: number[]): Promise<string>;
  /** Runs one at a time; after a rejection the context is unusable until it is recreated. */
  completion(
    options: CompletionOptions,
    onToken: (piece: { token: string }) => void,
  ): Promise<CompletionResult>;
  stopCompletion(): void;
  release(): Promise<void>;
}

export interface Binding {
  LlamaContext: {
    /** Reads the model synchronously, on the calling thread. */
    new (options: BindingOptions): BindingContext;
    /** Returns a GGUF file's metadata as texts; lists are in brackets. */
    loadModelInfo(file: string, leftOut: string[]): Record<string, unknown>;
    getBackendDevicesInfo(): string;
  };
}

/** Text that marks an image in a prompt. */
export const imageMark = "<__media__>";

export interface OpenedBinding {
  binding: Binding;
  kind: DeviceKind;
  /** Sentence for the user. */
  reason: string;
}

/** Finds the installed native package for a device; undefined when there is none. */
export function findBinding(kind: DeviceKind): string | undefined {
  if (kind === "rocm" || (kind === "metal" && process.platform !== "darwin")) return undefined;
  const variant = kind === "cuda" || kind === "vulkan" ? `-${kind}` : "";
  try {
    const own = createRequire(import.meta.url).resolve("@fugood/llama.node/package.json");
    const name = `@fugood/node-llama-${process.platform}-${process.arch}${variant}`;
    const file = path.join(
      path.dirname(createRequire(own).resolve(`${name}/package.json`)),
      "index.node",
    );
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined; // an optional package that was not installed
  }
}

/**
 * Opens the binding by the rules of the text engine: `auto` takes the first device that works, a
 * named one is used or refused.
 *
 * @throws ProductError `ENGINE_DEVICE_UNAVAILABLE`
 */
export function openBinding(setting: DeviceSetting): OpenedBinding {
  const refused: string[] = [];
  for (const kind of setting === "auto" ? devicesToTry() : [setting]) {
    const found = lookForDevice(kind);
    const file = findBinding(kind);
    if (!found.present || file === undefined) {
      refused.push(
        found.present ? `no ${kind} build of the vision engine is installed` : found.text,
      );
      continue;
    }
    try {
      const binding = createRequire(import.meta.url)(file) as Binding;
      const why = setting === "auto" ? [...refused, found.text].join(", ") : "it was asked for";
      return { binding, kind, reason: `--gpu ${setting}: ${why}.` };
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new ProductError(engineErrors.deviceUnavailable, {
    message: `The vision engine cannot use --gpu ${setting}: ${refused.join(", ")}.`,
    hint: "Use --gpu auto, or --gpu cpu.",
  });
}

/** Returns true if the build for this CPU does not use its vector instructions. */
export function isSlowOn(kind: DeviceKind): boolean {
  return kind === "cpu" && process.platform === "linux" && process.arch === "x64";
}

export interface Vocabulary {
  /** -1 for none. */
  bos: number;
  bosText: string;
  eosText: string;
  /** Texts of control tokens, longest first. */
  controlTexts: string[];
}

// llama_token_type of llama.h
const unknownType = 2;
const controlType = 3;

/**
 * Reads vocabulary facts that the binding does not report from the metadata of the model's file.
 */
export function readVocabulary(binding: Binding, file: string): Vocabulary {
  const facts = binding.LlamaContext.loadModelInfo(file, [
    "tokenizer.ggml.merges",
    "tokenizer.ggml.scores",
  ]);
  const tokens = readList(facts["tokenizer.ggml.tokens"]);
  const types = readList(facts["tokenizer.ggml.token_type"]);
  const idOf = (name: string) => Number(facts[`tokenizer.ggml.${name}_token_id`] ?? -1);
  const isControl = (id: number) => types[id] === controlType || types[id] === unknownType;
  const textOf = (id: number) => String(tokens[id] ?? "");
  const ids = tokens.map((_, id) => id);
  return {
    bos: idOf("bos"),
    bosText: textOf(idOf("bos")),
    eosText: textOf(idOf("eos")),
    controlTexts: ids
      .filter(isControl)
      .map(textOf)
      .filter((text) => text !== "")
      .sort((a, b) => b.length - a.length),
  };
}

/** Parses a list as llama.cpp prints it: JSON with unescaped line breaks inside texts. */
function readList(value: unknown): unknown[] {
  if (typeof value !== "string") return [];
  const json = value.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON wants these escaped
    /[\u0000-\u001f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list : [];
}

/** WORD JOINER: no width, no break, no meaning. */
const invisible = "\u2060";

export interface PromptText {
  text: string;
  /** Indexes of the images, in the order of their marks. */
  images: number[];
}

/**
 * Converts a marked prompt into the single text that the binding takes, which reads every control
 * text as a control token. An invisible character breaks up control texts in untrusted text: the
 * model reads the same words without a control token. Images stand at the binding's mark, which
 * untrusted text may not contain either.
 *
 * @param controlTexts of the model, longest first
 */
export function toPromptText(
  segments: readonly PromptSegment[],
  controlTexts: readonly string[],
): PromptText {
  const images = segments.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const broken = [imageMark, ...controlTexts];
  const text = segments
    .map(({ text: part, special, image }) => {
      if (image !== undefined) return imageMark;
      return breakTexts(part, special ? [imageMark] : broken);
    })
    .join("");
  return { text, images };
}

function breakTexts(text: string, broken: readonly string[]): string {
  let safe = text;
  for (const each of broken) {
    if (each.length < 2) continue;
    const [first = "", ...rest] = each;
    safe = safe.replaceAll(each, `${first}${invisible}${rest.join("")}`);
  }
  return safe;
}
