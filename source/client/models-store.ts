// Models on the server's machine, and its capacity for them.

import { shownModel } from "../base/display-text.ts";
import { isRecord } from "../base/json-record.ts";
import type { ApiClient } from "./api-client.ts";
import type { PullRecord } from "./model-calls.ts";
import {
  entriesOf,
  type Fields,
  fieldsOf,
  numberOf,
  optionalNumber,
  optionalText,
  textOf,
  textsOf,
} from "./reply-fields.ts";

/** Data types of the context window, largest first. */
export const cacheTypes = ["f16", "q8_0", "q4_0"] as const;
export type CacheType = (typeof cacheTypes)[number];

/** Memory that a model takes when loaded, in bytes. */
export interface ModelMemory {
  weightsBytes: number;
  computeBytes: number;
  /** For a token in the window of a slot. */
  cacheBytesPerToken: Record<CacheType, number>;
  /** Default type. */
  cacheType: CacheType;
  layers: number;
  /** Room for the windows of all slots; negative if not even the weights fit. */
  windowRoomBytes: number;
  /** Default window. */
  contextLength: number;
  /** Maximum useful window. */
  trainedContextLength: number;
}

export interface LocalModel {
  /** With its tag. */
  name: string;
  sizeBytes: number;
  /** Since 1970. */
  modifiedMs: number;
  digest: string;
  /** `modelctl`, `ollama`, `lm-studio`, `built-in` */
  store: string;
  family: string;
  parameterSize: string;
  quantization: string;
  capabilities: string[];
  /** Undefined if the model's file cannot be read. */
  memory: ModelMemory | undefined;
}

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function listModels(client: ApiClient): Promise<LocalModel[]> {
  const body = fieldsOf(await client.getJson("/api/tags"));
  return entriesOf(body.models).map((entry) => {
    const details = fieldsOf(entry.details);
    return {
      name: shownModel(textOf(entry.name)),
      sizeBytes: numberOf(entry.size),
      modifiedMs: Date.parse(textOf(entry.modified_at)) || 0,
      digest: textOf(entry.digest),
      store: textOf(entry.store),
      family: textOf(details.family),
      parameterSize: textOf(details.parameter_size),
      quantization: textOf(details.quantization_level),
      capabilities: textsOf(entry.capabilities),
      memory: isRecord(entry.memory) ? memoryOf(entry.memory) : undefined,
    };
  });
}

function memoryOf(memory: Fields): ModelMemory {
  const perToken = fieldsOf(memory.cache_bytes_per_token);
  return {
    weightsBytes: numberOf(memory.weights_bytes),
    computeBytes: numberOf(memory.compute_bytes),
    cacheBytesPerToken: {
      f16: numberOf(perToken.f16),
      q8_0: numberOf(perToken.q8_0),
      q4_0: numberOf(perToken.q4_0),
    },
    cacheType: cacheTypes.find((type) => type === memory.cache_type) ?? "f16",
    layers: numberOf(memory.layers),
    windowRoomBytes: numberOf(memory.window_room_bytes),
    contextLength: numberOf(memory.context_length),
    trainedContextLength: numberOf(memory.trained_context_length),
  };
}

/** Fields of `POST /api/show` that a card shows. */
export interface ModelDescription {
  name: string;
  description: string | undefined;
  license: string | undefined;
  system: string | undefined;
  /** A line for each value. */
  parameters: string | undefined;
  modelfile: string;
  /** `origin`: `modelfile`, `gguf`, `fallback` or `none`. */
  template: { origin: string; language: string | undefined; reason: string };
  /** The file's metadata. */
  info: Fields;
}

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function describeModel(
  client: ApiClient,
  name: string,
  signal?: AbortSignal,
): Promise<ModelDescription> {
  const body = fieldsOf(await client.postJson("/api/show", { model: name }, signal));
  const template = fieldsOf(body.template_origin);
  return {
    name: textOf(body.name),
    description: optionalText(body.description),
    license: optionalText(body.license),
    system: optionalText(body.system),
    parameters: optionalText(body.parameters),
    modelfile: textOf(body.modelfile),
    template: {
      origin: textOf(template.origin),
      language: optionalText(template.language),
      reason: textOf(template.reason),
    },
    info: fieldsOf(body.model_info),
  };
}

/** Effect of deleting a model, in bytes. */
export interface DeletionPlan {
  name: string;
  freedBytes: number;
  /** Used by other models, too. */
  sharedBytes: number;
  /** Files outside the store, which stay. */
  referredBytes: number;
}

/** Computes the effect of deleting a model, without deleting it. @throws as `deleteModel` */
export async function planDeletion(client: ApiClient, name: string): Promise<DeletionPlan> {
  const body = await client.deleteJson("/api/delete", { model: name, dry_run: true });
  const plan = fieldsOf(body);
  return {
    name: textOf(plan.name),
    freedBytes: numberOf(plan.freed_bytes),
    sharedBytes: numberOf(plan.shared_bytes),
    referredBytes: numberOf(plan.referred_bytes),
  };
}

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function deleteModel(client: ApiClient, name: string): Promise<void> {
  await client.deleteJson("/api/delete", { model: name });
}

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function copyModel(
  client: ApiClient,
  source: string,
  destination: string,
): Promise<void> {
  await client.postJson("/api/copy", { source, destination });
}

/**
 * Creates a model from the text of a Modelfile, and reports the server's progress.
 * @throws ServerRefusal with line and column, or ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export async function createFromModelfile(
  client: ApiClient,
  { name, modelfile }: { name: string; modelfile: string },
  work: { onProgress: (record: PullRecord) => void; signal: AbortSignal },
): Promise<void> {
  const body = { model: name, modelfile };
  for await (const record of client.postForRecords("/api/create", body, work.signal)) {
    const total = optionalNumber(record.total);
    const completed = optionalNumber(record.completed);
    work.onProgress({
      status: textOf(record.status),
      ...(total !== undefined && { total }),
      ...(completed !== undefined && { completed }),
    });
  }
}

export interface GpuCapacity {
  name: string;
  totalBytes: number;
  freeBytes: number;
}

export interface Capacity {
  /** Free space on the store's disk; undefined if the system does not report it. */
  diskFreeBytes: number | undefined;
  memory: { totalBytes: number; freeBytes: number };
  gpus: GpuCapacity[];
  /** True if the GPU uses the machine's memory. */
  hasUnifiedMemory: boolean;
  /** Maximum conversations of a loaded model at a time. */
  slots: number;
}

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function readCapacity(client: ApiClient): Promise<Capacity> {
  const body = fieldsOf(await client.getJson("/api/capacity"));
  const memory = fieldsOf(body.memory);
  return {
    diskFreeBytes: optionalNumber(fieldsOf(body.disk).free_bytes),
    memory: { totalBytes: numberOf(memory.total_bytes), freeBytes: numberOf(memory.free_bytes) },
    gpus: entriesOf(body.gpus).map((gpu) => ({
      name: textOf(gpu.name),
      totalBytes: numberOf(gpu.total_bytes),
      freeBytes: numberOf(gpu.free_bytes),
    })),
    hasUnifiedMemory: body.has_unified_memory === true,
    slots: numberOf(body.slots),
  };
}
