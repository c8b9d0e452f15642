// Errors of the command line itself.
import { type ErrorDefinition, exitCodes, ProductError } from "../base/product-error.ts";

export const commandErrors = {
  usage: {
    code: "COMMAND_USAGE",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The command, its arguments or its flags are not understood.",
  },
  readerLeft: {
    code: "COMMAND_READER_LEFT",
    status: 499,
    exitCode: exitCodes.unexpected,
    description: "The program that reads the output ended before it had the whole of it.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export function usageError(message: string, hint: string): ProductError {
  return new ProductError(commandErrors.usage, { message, hint });
}
