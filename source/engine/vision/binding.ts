// Interface to @fugood/llama.node; the only file that knows its native classes.
//
// Skips its JavaScript layer, which silently replaces a variant that cannot be loaded.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
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
 * Opens the binding by the rules of the text engine: `auto` takes the first device that works, a named
 * one is used or refused.
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
