// Errors of the command line.
import { type ErrorDefinition, exitCodes, ProductError } from "../base/product-error.ts";
import { systemCode } from "../base/write-refusal.ts";

export const commandErrors = {
  usage: {
    code: "COMMAND_USAGE",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The command, an argument or a flag is invalid.",
  },
  nameTaken: {
    code: "COMMAND_NAME_TAKEN",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "A model with this name already exists; use --force to replace it.",
  },
  modelInUse: {
    code: "COMMAND_MODEL_IN_USE",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "A deployment of deployctl serves the model; use --force to remove it.",
  },
  readerLeft: {
    code: "COMMAND_READER_LEFT",
    status: 499,
    exitCode: exitCodes.unexpected,
    description: "Output pipe closed early.",
  },
} as const satisfies Record<string, ErrorDefinition>;

const readFaults: Record<string, string> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EISDIR: "is a folder",
  EACCES: "permission denied",
};

export function usageError(message: string, hint: string): ProductError {
  return new ProductError(commandErrors.usage, { message, hint });
}

/** Explains why a file cannot be read, as the end of a sentence. @param error of reading it */
export function readFault(error: unknown): string {
  const code = systemCode(error);
  return (code && readFaults[code]) ?? String(code ?? error);
}
