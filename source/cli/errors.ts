// Errors of the command line itself.
import { type ErrorDefinition, exitCodes, ProductError } from "../base/product-error.ts";

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
  readerLeft: {
    code: "COMMAND_READER_LEFT",
    status: 499,
    exitCode: exitCodes.unexpected,
    description: "Output pipe closed early.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export function usageError(message: string, hint: string): ProductError {
  return new ProductError(commandErrors.usage, { message, hint });
}
