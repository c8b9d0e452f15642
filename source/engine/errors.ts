// Errors of the engine: loading models, generating answers, runner processes.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const engineErrors = {
  addonIncompatible: {
    code: "ENGINE_ADDON_INCOMPATIBLE",
    status: 500,
    exitCode: exitCodes.loadFailed,
    description:
      "The installed node-llama-cpp is missing, broken, or not the version this program was written for.",
  },
  deviceUnavailable: {
    code: "ENGINE_DEVICE_UNAVAILABLE",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The device requested with --gpu is not available on this machine.",
  },
  loadFailed: {
    code: "ENGINE_LOAD_FAILED",
    // Not 500, since clients would retry, and the file would still be unusable.
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The inference engine cannot load the model file.",
  },
  architectureUnknown: {
    code: "ENGINE_ARCHITECTURE_UNKNOWN",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "This version of llama.cpp does not support the model's architecture.",
  },
  outOfMemory: {
    code: "ENGINE_OUT_OF_MEMORY",
    status: 500,
    exitCode: exitCodes.loadFailed,
    description: "The model or its context window does not fit in memory.",
  },
  runnerCrashed: {
    code: "ENGINE_RUNNER_CRASHED",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The model's process crashed while it handled requests.",
  },
  backingOff: {
    code: "ENGINE_BACKING_OFF",
    status: 503,
    exitCode: exitCodes.loadFailed,
    description: "The model crashed repeatedly; the next attempt to load it is delayed.",
  },
  loadTimeout: {
    code: "ENGINE_LOAD_TIMEOUT",
    status: 504,
    exitCode: exitCodes.timeout,
    description: "Loading the model made no progress within the load timeout.",
  },
  decodeFailed: {
    code: "ENGINE_DECODE_FAILED",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The engine failed while computing tokens.",
  },
  promptTooLong: {
    code: "ENGINE_PROMPT_TOO_LONG",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "The prompt does not fit the context window. Prompts are never truncated silently.",
  },
  promptEmpty: {
    code: "ENGINE_PROMPT_EMPTY",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The prompt is empty.",
  },
  tokenUnknown: {
    code: "ENGINE_TOKEN_UNKNOWN",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A token id in the request is outside the model's vocabulary.",
  },
  grammarTooSlow: {
    code: "ENGINE_GRAMMAR_TOO_SLOW",
    status: 400,
    exitCode: exitCodes.usage,
    description: "Following the grammar of a schema or a tool took too long per token.",
  },
  grammarDeadEnd: {
    code: "ENGINE_GRAMMAR_DEAD_END",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The grammar of an answer led to a place where no token of the model fits.",
  },
  parameterUnsupported: {
    code: "ENGINE_PARAMETER_UNSUPPORTED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The engine does not support a parameter that would change the answer.",
  },
  capabilityMissing: {
    code: "ENGINE_CAPABILITY_MISSING",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The model lacks a capability that the request needs, such as tools or thinking.",
  },
  imageInvalid: {
    code: "ENGINE_IMAGE_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "An image is empty, damaged, too large, or in an unsupported format.",
  },
  projectorUnusable: {
    code: "ENGINE_PROJECTOR_UNUSABLE",
    // Not 500, since retrying would not help.
    status: 400,
    exitCode: exitCodes.loadFailed,
    description:
      "The model's projector, which it needs for images, is unreadable or belongs to another model.",
  },
  buildFailed: {
    code: "ENGINE_BUILD_FAILED",
    status: 500,
    exitCode: exitCodes.loadFailed,
    description: "Building a part of llama.cpp from source failed on this machine.",
  },
  grammarInvalid: {
    code: "ENGINE_GRAMMAR_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The grammar is not valid GBNF.",
  },
  embeddingUnusable: {
    code: "ENGINE_EMBEDDING_UNUSABLE",
    status: 400,
    exitCode: exitCodes.unexpected,
    description: "The model returned an embedding with invalid numbers.",
  },
  noRoom: {
    code: "ENGINE_NO_ROOM",
    status: 503,
    exitCode: exitCodes.loadFailed,
    description: "Not enough memory: every loaded model is pinned (`keep_alive: -1`).",
  },
  queueFull: {
    code: "ENGINE_QUEUE_FULL",
    status: 503,
    exitCode: exitCodes.unexpected,
    description: "Too many requests are queued for this model.",
  },
  cancelled: {
    code: "ENGINE_CANCELLED",
    status: 499,
    exitCode: exitCodes.interrupted,
    description: "The client disconnected or cancelled the request.",
  },
  shuttingDown: {
    code: "ENGINE_SHUTTING_DOWN",
    status: 503,
    exitCode: exitCodes.unreachable,
    description: "The server is shutting down and accepts no new requests.",
  },
} as const satisfies Record<string, ErrorDefinition>;
