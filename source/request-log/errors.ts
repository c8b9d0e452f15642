// Every error about filters for the request log.
import { type ErrorDefinition, exitCodes, ProductError } from "../base/product-error.ts";

export const requestLogErrors = {
  filterInvalid: {
    code: "REQUEST_LOG_FILTER_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A request filter has an unknown field or an invalid value.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export function invalidFilter(param: string, message: string, hint: string): ProductError {
  return new ProductError(requestLogErrors.filterInvalid, { message, hint, param });
}
