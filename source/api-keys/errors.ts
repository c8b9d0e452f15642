// Errors about keys and their file.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const keyErrors = {
  fileUnusable: {
    code: "KEYS_FILE_UNUSABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The file with the server's keys cannot be read or written.",
  },
  unknown: {
    code: "KEYS_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No key with this id exists.",
  },
} as const satisfies Record<string, ErrorDefinition>;
