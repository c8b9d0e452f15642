// Loading of a GGUF file and its context, with a one-sentence reason on failure.
import { setTimeout as wait } from "node:timers/promises";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { DeviceReport, LoadPhases } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonBinary, AddonContext, AddonModel } from "./addon.ts";
import { findAddonBinary, logLevels } from "./addon.ts";
import { type OpenedDevice, openDevice } from "./choose-device.ts";
import { contextOptions } from "./context-options.ts";
import type { LoadedDraft } from "./draft-model.ts";
import { findExtensibleBinary } from "./engine-extension.ts";
import { fitLayers } from "./fit-layers.ts";
import { binaryFor, hiddenOptions } from "./hidden-options.ts";
import { checkedDraft, loadDraft } from "./load-draft.ts";
import { loadMtp } from "./load-mtp.ts";
import { openModel } from "./open-model.ts";

export interface LoadedTextModel {
  addon: Addon;
  model: AddonModel;
  context: AddonContext;
  /** Binary of the engine. */
  binary: AddonBinary;
  device: DeviceReport;
  draft: LoadedDraft | undefined;
  /** Sentences about what the model runs without. */
  warnings: readonly string[];
  phases: LoadPhases;
}

/** Receives the engine's reports during a load. */
export interface LoadObserver {
  log(text: string): void;
  /** Fraction of the weights that are read, from 0 to 1. */
  progress(fraction: number): void;
  /** Resolves when the memory for weights and context may be taken. */
  mayTakeMemory(): Promise<void>;
}

/**
 * @throws ProductError `ENGINE_DEVICE_UNAVAILABLE`, `ENGINE_ADDON_INCOMPATIBLE`,
 *   `ENGINE_ARCHITECTURE_UNKNOWN`, `ENGINE_LOAD_FAILED`, `ENGINE_OUT_OF_MEMORY`
 */
export async function loadTextModel(
  settings: LoadSettings,
  observer: LoadObserver,
): Promise<LoadedTextModel> {
  const engineLog = new EngineLog(observer);
  // performance.now() counts from the start of the process.
  const began = performance.now();
  const device = await openDevice(
    settings.device,
    (level, text) => engineLog.add(level, text),
    // The extension was built for the prebuilt addon and works with no other.
    settings.vision === undefined ? binaryFor(settings, findAddonBinary) : findExtensibleBinary,
  );
  const { addon } = device;
  if (!addon.getIsArchSupported(settings.architecture)) {
    throw new ProductError(engineErrors.architectureUnknown, {
      message: `This version of llama.cpp does not support the model's architecture '${settings.architecture}'.`,
      hint: "Use a newer release of this program, or another model.",
    });
  }
  const hidden = hiddenOptions(settings, device);
  const totalLayers = settings.layers + 1;
  const opened = performance.now();
  await observer.mayTakeMemory();
  const allowed = performance.now();
  const draft = await loadDraft(addon, settings, device.kind !== "cpu");
  const gpuLayers =
    device.kind === "cpu"
      ? 0
      : Math.min(
          totalLayers,
          settings.gpuLayers ??
            (await fitLayers(addon, settings, hidden, settings.mtp?.memoryBytes)),
        );
  const opening = await openModel(addon, settings, device, hidden, {
    gpuLayers,
    onLoadProgress: (fraction) => observer.progress(fraction),
  });
  const { model } = opening;
  if (model === undefined) {
    await linesToArrive();
    throw refusedModel(settings.modelPath, engineLog.errors);
  }
  const checked = await checkedDraft(draft, model, settings);
  observer.progress(1);
  const read = performance.now();
  const context = new addon.AddonContext(model, contextOptions(addon, settings));
  opening.hidden.applyToContext(context);
  if (!(await context.init())) {
    await linesToArrive();
    throw refusedContext(settings, engineLog.errors);
  }
  await applyAdapters(addon, model, context, settings.adapters);
  const mtp = await loadMtp(addon, { model, context }, settings, opening.hidden);
  const mtpProblem = typeof mtp === "string" ? mtp : undefined;
  const problems = [opening.problem, checked.problem, mtpProblem].filter(
    (each) => each !== undefined,
  );
  return {
    addon,
    model,
    context,
    binary: device.binary,
    draft: typeof mtp === "object" ? mtp : checked.usable,
    warnings: [...opening.hidden.warnings, ...problems],
    phases: {
      process: began,
      device: opened - began,
      weights: read - allowed,
      context: performance.now() - read,
    },
    device: {
      kind: device.kind,
      names: device.names,
      gpuLayers,
      totalLayers,
      reason:
        `${device.reason} ${layerSentence(device.kind, gpuLayers, totalLayers, settings)}`.trim(),
      ...cardMemory(device),
    },
  };
}

/** Reads the card's memory after loading, including other programs' use. */
function cardMemory({ kind, addon }: OpenedDevice): Pick<DeviceReport, "memory"> {
  if (kind === "cpu") return {};
  const { total, used, unifiedSize } = addon.getGpuVramInfo();
  if (unifiedSize >= total) return {};
  return { memory: { totalBytes: total, freeBytes: Math.max(0, total - used) } };
}

async function applyAdapters(
  addon: Addon,
  model: AddonModel,
  context: AddonContext,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return;
  const adapters = files.map((file) => new addon.AddonModelLora(model, file));
  for (const [index, adapter] of adapters.entries()) {
    try {
      await model.loadLora(adapter);
    } catch (error) {
      throw new ProductError(engineErrors.loadFailed, {
        message: `The adapter ${files[index]} does not fit this model: ${
          error instanceof Error ? error.message : String(error)
        }.`,
        hint: "An adapter works only with the model it was trained for.",
        cause: error,
      });
    }
  }
  context.setLoras(
    adapters,
    adapters.map(() => 1),
  );
}

/** Waits for the addon's log lines, which may arrive after the failure that they explain. */
async function linesToArrive(): Promise<void> {
  await wait(50);
}

function layerSentence(
  kind: string,
  layers: number,
  total: number,
  settings: LoadSettings,
): string {
  if (kind === "cpu") return "";
  if (settings.gpuLayers !== undefined) return `${layers} of ${total} layers on it, as requested.`;
  if (layers === total) return `All ${total} layers fit.`;
  return `${layers} of ${total} layers fit in its free memory, the rest run on the CPU.`;
}

function refusedModel(modelPath: string, errors: string[]): ProductError {
  const reason = errors.find((line) => /error loading model/.test(line)) ?? errors.at(-1);
  const cause = reason?.replace(/^.*error loading model:\s*/, "") ?? "no reason given";
  const memory = /alloc|out of memory/i.test(errors.join("\n"));
  return new ProductError(memory ? engineErrors.outOfMemory : engineErrors.loadFailed, {
    message: `llama.cpp refused ${modelPath}: ${cause}.`,
    hint: memory
      ? "Close other programs, use fewer GPU layers, or a smaller quantization."
      : "Download the file again, or check that it is made for llama.cpp.",
  });
}

function refusedContext(settings: LoadSettings, errors: string[]): ProductError {
  return new ProductError(engineErrors.outOfMemory, {
    message:
      `Cannot create a context window of ${settings.contextLength} tokens for ${settings.slots} ` +
      `parallel requests: ${errors.at(-1) ?? "not enough memory"}.`,
    hint: "Use a smaller num_ctx or fewer slots (MODELCTL_NUM_PARALLEL).",
  });
}

/** Joins the addon's log pieces into lines, collects errors, and drops progress dots. */
class EngineLog {
  readonly errors: string[] = [];
  readonly #observer: LoadObserver;
  #line = "";

  constructor(observer: LoadObserver) {
    this.#observer = observer;
  }

  add(level: number, message: string): void {
    this.#line += message;
    const lines = this.#line.split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) {
      const text = line.trim();
      if (text === "" || /^\.+$/.test(text)) continue;
      if (level <= logLevels.error) this.errors.push(text);
      this.#observer.log(text);
    }
  }
}
