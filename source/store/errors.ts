// Every error about models on disk: names, files, and what is in them.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const storeErrors = {
  modelNotFound: {
    code: "STORE_MODEL_NOT_FOUND",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No model has this name.",
  },
  nameInvalid: {
    code: "STORE_NAME_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The text is neither a model name nor a path to a .gguf file.",
  },
  fileMissing: {
    code: "STORE_FILE_MISSING",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The path names no file.",
  },
  fileNotAllowed: {
    code: "STORE_FILE_NOT_ALLOWED",
    status: 403,
    exitCode: exitCodes.refused,
    description: "A request over the network named a file outside the allowed model folders.",
  },
  fileUnreadable: {
    code: "STORE_FILE_UNREADABLE",
    status: 403,
    exitCode: exitCodes.refused,
    description: "The file exists but may not be read.",
  },
  fileIsDirectory: {
    code: "STORE_FILE_IS_DIRECTORY",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The path names a directory, not a .gguf file.",
  },
  fileNotRegular: {
    code: "STORE_FILE_NOT_REGULAR",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The path names a pipe, a socket or a device, not a file.",
  },
  notGguf: {
    code: "STORE_NOT_GGUF",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The file is not a GGUF model.",
  },
  ggufTruncated: {
    code: "STORE_GGUF_TRUNCATED",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The GGUF file ends before its contents do, as after a broken download.",
  },
  ggufInvalid: {
    code: "STORE_GGUF_INVALID",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The GGUF file's header contradicts itself.",
  },
} as const satisfies Record<string, ErrorDefinition>;
