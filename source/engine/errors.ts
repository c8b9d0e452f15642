// Every error that the engine can report: loading, generating, the life of a runner.
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
    description: "The device asked for with --gpu cannot be used on this machine.",
  },
  loadFailed: {
    code: "ENGINE_LOAD_FAILED",
    // Not 500: clients would send the request again, and the file stays what it is.
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The inference engine refused the model file.",
  },
  architectureUnknown: {
    code: "ENGINE_ARCHITECTURE_UNKNOWN",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The model's architecture is not one that this version of llama.cpp can run.",
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
    description: "The process that runs the model ended while requests were in it.",
  },
  backingOff: {
    code: "ENGINE_BACKING_OFF",
    status: 503,
    exitCode: exitCodes.loadFailed,
    description: "The model crashed repeatedly; the next try is delayed.",
  },
  loadTimeout: {
    code: "ENGINE_LOAD_TIMEOUT",
    status: 504,
    exitCode: exitCodes.timeout,
    description: "Loading the model made no progress for the configured time.",
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
    description: "The prompt does not fit the context window; it is never cut.",
  },
  promptEmpty: {
    code: "ENGINE_PROMPT_EMPTY",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The prompt holds no token at all.",
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
    description: "Following the grammar of a schema or a tool took too long for each token.",
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
    description: "A parameter would change the answer in a way that the engine cannot do.",
  },
  capabilityMissing: {
    code: "ENGINE_CAPABILITY_MISSING",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The model cannot do what the request asks for, such as tools or thinking.",
  },
  imageInvalid: {
    code: "ENGINE_IMAGE_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "An image is empty, damaged, too large, or in a format that cannot be shown to a model.",
  },
  projectorUnusable: {
    code: "ENGINE_PROJECTOR_UNUSABLE",
    // As for a model's file: sending the request again would not change it.
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The file that lets the model see cannot be read, or belongs to another model.",
  },
  buildFailed: {
    code: "ENGINE_BUILD_FAILED",
    status: 500,
    exitCode: exitCodes.loadFailed,
    description: "A part of llama.cpp could not be built from its sources on this machine.",
  },
  grammarInvalid: {
    code: "ENGINE_GRAMMAR_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The grammar of an answer is not valid GBNF.",
  },
  embeddingUnusable: {
    code: "ENGINE_EMBEDDING_UNUSABLE",
    status: 400,
    exitCode: exitCodes.unexpected,
    description: "The model gave a vector with values that are no numbers.",
  },
  noRoom: {
    code: "ENGINE_NO_ROOM",
    status: 503,
    exitCode: exitCodes.loadFailed,
    description: "All loaded models are to stay loaded for good, and there is no room for another.",
  },
  queueFull: {
    code: "ENGINE_QUEUE_FULL",
    status: 503,
    exitCode: exitCodes.unexpected,
    description: "Too many requests wait for this model.",
  },
  cancelled: {
    code: "ENGINE_CANCELLED",
    status: 499,
    exitCode: exitCodes.interrupted,
    description: "The client went away or cancelled the request.",
  },
  shuttingDown: {
    code: "ENGINE_SHUTTING_DOWN",
    status: 503,
    exitCode: exitCodes.unreachable,
    description: "The server is stopping and takes no new requests.",
  },
} as const satisfies Record<string, ErrorDefinition>;
