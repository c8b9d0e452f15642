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

export function usageError(message: string, hint: string): ProductError {
  return new ProductError(commandErrors.usage, { message, hint });
}
