// Models on the server's machine, and its capacity for them.

import { shownModel } from "../base/display-text.ts";
import { isRecord } from "../base/json.ts";
import type { KnownRate } from "../base/quantities.ts";
import type { ApiClient } from "./api-client.ts";
import { type PullRecord, readPullRecord } from "./model-calls.ts";
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

export type LocalModel = ReturnType<typeof readLocalModel>;
export type ModelMemory = ReturnType<typeof readMemory>;
export type ModelDescription = Awaited<ReturnType<typeof describeModel>>;
export type DeletionPlan = Awaited<ReturnType<typeof planDeletion>>;
export type Capacity = Awaited<ReturnType<typeof readCapacity>>;

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function listModels(client: ApiClient): Promise<LocalModel[]> {
  const body = fieldsOf(await client.getJson("/api/tags"));
  return entriesOf(body.models).map(readLocalModel);
}

function readLocalModel(entry: Fields) {
  const details = fieldsOf(entry.details);
  return {
    /** With its tag. */
    name: shownModel(textOf(entry.name)),
    sizeBytes: numberOf(entry.size),
    /** Since 1970. */
    modifiedMs: Date.parse(textOf(entry.modified_at)) || 0,
    digest: textOf(entry.digest),
    /** `modelctl`, `ollama`, `lm-studio`, `built-in` */
    store: textOf(entry.store),
    family: textOf(details.family),
    parameterSize: textOf(details.parameter_size),
    quantization: textOf(details.quantization_level),
    capabilities: textsOf(entry.capabilities),
    /** Undefined if the model's file cannot be read. */
    memory: isRecord(entry.memory) ? readMemory(entry.memory) : undefined,
    speed: readSpeed(fieldsOf(entry.speed)),
  };
}

/** Reads the tokens per second of one answer; empty while nothing is known. */
export function readSpeed({ measured, expected }: Fields): KnownRate {
  const { low, high } = fieldsOf(expected);
  return {
    ...(typeof measured === "number" && { measured }),
    ...(typeof low === "number" && typeof high === "number" && { expected: { low, high } }),
  };
}

/** Reads the memory that a model takes when loaded, in bytes. */
function readMemory(memory: Fields) {
  const perToken = fieldsOf(memory.cache_bytes_per_token);
  return {
    weightsBytes: numberOf(memory.weights_bytes),
    computeBytes: numberOf(memory.compute_bytes),
    /** For a token in the window of a slot. */
    cacheBytesPerToken: {
      f16: numberOf(perToken.f16),
      q8_0: numberOf(perToken.q8_0),
      q4_0: numberOf(perToken.q4_0),
    },
    /** Default type. */
    cacheType: cacheTypes.find((type) => type === memory.cache_type) ?? "f16",
    layers: numberOf(memory.layers),
    /** Room for the windows of all slots; negative if not even the weights fit. */
    windowRoomBytes: numberOf(memory.window_room_bytes),
    /** Default window. */
    contextLength: numberOf(memory.context_length),
    /** Reason why it is not longer; undefined from an older server. */
    windowLimit: optionalText(memory.window_limit),
    /** Maximum useful window. */
    trainedContextLength: numberOf(memory.trained_context_length),
  };
}

/**
 * Reads the fields of `POST /api/show` that a card shows.
 * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export async function describeModel(client: ApiClient, name: string, signal?: AbortSignal) {
  const body = fieldsOf(await client.postJson("/api/show", { model: name }, signal));
  const template = fieldsOf(body.template_origin);
  return {
    name: textOf(body.name),
    description: optionalText(body.description),
    license: optionalText(body.license),
    system: optionalText(body.system),
    /** A line for each value. */
    parameters: optionalText(body.parameters),
    modelfile: textOf(body.modelfile),
    template: {
      /** `modelfile`, `gguf`, `fallback` or `none`. */
      origin: textOf(template.origin),
      language: optionalText(template.language),
      reason: textOf(template.reason),
    },
    /** The file's metadata. */
    info: fieldsOf(body.model_info),
  };
}

/** Computes the effect of deleting a model, without deleting it. @throws as `deleteModel` */
export async function planDeletion(client: ApiClient, name: string) {
  const plan = fieldsOf(await client.deleteJson("/api/delete", { model: name, dry_run: true }));
  return {
    name: textOf(plan.name),
    freedBytes: numberOf(plan.freed_bytes),
    /** Used by other models, too. */
    sharedBytes: numberOf(plan.shared_bytes),
    /** Files outside the store, which stay. */
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
    work.onProgress(readPullRecord(record));
  }
}

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function readCapacity(client: ApiClient) {
  const body = fieldsOf(await client.getJson("/api/capacity"));
  const memory = fieldsOf(body.memory);
  return {
    /** Free space on the store's disk; undefined if the system does not report it. */
    diskFreeBytes: optionalNumber(fieldsOf(body.disk).free_bytes),
    memory: { totalBytes: numberOf(memory.total_bytes), freeBytes: numberOf(memory.free_bytes) },
    gpus: entriesOf(body.gpus).map((gpu) => ({
      name: textOf(gpu.name),
      totalBytes: numberOf(gpu.total_bytes),
      freeBytes: numberOf(gpu.free_bytes),
    })),
    /** True if the GPU uses the machine's memory. */
    hasUnifiedMemory: body.has_unified_memory === true,
    /** Maximum conversations of a loaded model at a time. */
    slots: numberOf(body.slots),
  };
}
