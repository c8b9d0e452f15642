// Sample models, capacity and states for views without a server.
import type { LoadedEntry } from "../../../../source/client/model-calls.ts";
import type { HubModel } from "../../../../source/client/models-hub.ts";
import type { Capacity, LocalModel, ModelMemory } from "../../../../source/client/models-store.ts";
import { fieldWith } from "../../../../source/ui/editor/line-field.ts";
import {
  type CardFacts,
  createModelsState,
  type ModelsState,
  received,
  withList,
} from "../../../../source/ui/screens/models/models-state.ts";

export const gib = 1024 ** 3;
export const nowMs = Date.UTC(2026, 5, 1, 12);

/** An 8 B model at 4 bits: 36 layers, 1024 numbers of K and V each. */
export const eightB: ModelMemory = {
  weightsBytes: 5 * gib,
  computeBytes: 0.25 * gib,
  cacheBytesPerToken: { f16: 147_456, q8_0: 78_336, q4_0: 41_472 },
  cacheType: "f16",
  layers: 36,
  windowRoomBytes: 10.75 * gib,
  contextLength: 8192,
  windowLimit: "a quarter of the 11 GiB that the weights leave",
  trainedContextLength: 40_960,
};

export function capacity(changes: Partial<Capacity> = {}): Capacity {
  return {
    diskFreeBytes: 200e9,
    memory: { totalBytes: 32 * gib, freeBytes: 16 * gib },
    gpus: [],
    hasUnifiedMemory: false,
    slots: 1,
    ...changes,
  };
}

export function gpu(freeBytes: number) {
  return { name: "card", totalBytes: 24 * gib, freeBytes };
}

export function local(name: string, changes: Partial<LocalModel> = {}): LocalModel {
  return {
    name,
    sizeBytes: 5e9,
    modifiedMs: nowMs - 86_400_000,
    digest: `${name}-digest`,
    store: "modelctl",
    family: "qwen3",
    parameterSize: "8.2B",
    quantization: "Q4_K_M",
    capabilities: ["completion", "tools"],
    memory: eightB,
    speed: { expected: { low: 12.2, high: 17.9 } },
    ...changes,
  };
}

export function loaded(name: string, changes: Partial<LoadedEntry> = {}): LoadedEntry {
  return {
    name,
    names: [name],
    digest: "",
    size: 6e9,
    size_vram: 0,
    context_length: 8192,
    slots: 1,
    window_limit: undefined,
    expires_at: new Date(nowMs + 240_000).toISOString(),
    state: "idle",
    load_progress: 1,
    draft_size: 0,
    ...changes,
  };
}

export function hubModel(repository: string, changes: Partial<HubModel> = {}): HubModel {
  return {
    name: `hf.co/${repository}`,
    repository,
    downloads: 12_345,
    likes: 99,
    modifiedMs: nowMs - 3 * 86_400_000,
    isGated: false,
    parameterCount: 8.2e9,
    architecture: "qwen3",
    contextLength: 40_960,
    license: "apache-2.0",
    ...changes,
  };
}

/** A state with these local models. */
export function stateWith(
  models: readonly LocalModel[],
  changes: Partial<ModelsState> = {},
): ModelsState {
  return {
    ...createModelsState(),
    local: received(models, nowMs),
    running: received([], nowMs),
    capacity: received(capacity(), nowMs),
    ...changes,
  };
}

/** The open list filtered by a text. */
export function filtered(state: ModelsState, text: string): ModelsState {
  const filter = fieldWith(state.lists[state.source].filter, text);
  return { ...state, ...withList(state, state.source, { filter }) };
}

/** The facts of a card for a model with its own Modelfile. */
export const sampleCard: CardFacts = {
  description: {
    name: "qwen3:8b",
    description: undefined,
    license: "Apache License\nVersion 2",
    system: undefined,
    parameters: undefined,
    modelfile: '# comment\nFROM /x/y.gguf\nSYSTEM """many\nlines"""\nPARAMETER temperature 0.6',
    template: { origin: "gguf", language: "jinja", reason: "The file has one." },
    info: { "general.name": "Qwen3 8B" },
  },
  deletion: { name: "qwen3:8b", freedBytes: 5e9, sharedBytes: 2e9, referredBytes: 0 },
};
