// Names the field of the request that an error of the engine is about: the engine knows no fields.
import { ProductError } from "../../../base/product-error.ts";
import { engineErrors } from "../../../engine/errors.ts";
import type { CanonicalRequest } from "../../../engine/request.ts";
import { promptErrors } from "../../../prompt/errors.ts";

/**
 * The error with its field; any other as it is.
 *
 * @param formatField what the API calls the format of an answer
 */
export function withField(
  error: unknown,
  request: CanonicalRequest,
  formatField = "response_format",
): unknown {
  if (!(error instanceof ProductError) || error.param !== undefined) return error;
  const param = fieldOf(error.code, request, formatField);
  if (param === undefined) return error;
  const { code, status, exitCode, message, hint } = error;
  return new ProductError(
    { code, status, exitCode, description: "" },
    { message, param, cause: error, ...(hint !== undefined && { hint }) },
  );
}

function fieldOf(
  code: string,
  { input, format }: CanonicalRequest,
  formatField: string,
): string | undefined {
  switch (code) {
    case engineErrors.tokenUnknown.code:
      return "logit_bias";
    case engineErrors.grammarInvalid.code:
      return "grammar";
    case promptErrors.schemaInvalid.code:
    case promptErrors.schemaUnsupported.code: {
      // An answer that must be a call is held to the tools' schemas alone.
      const choice = input.kind === "chat" ? input.toolChoice : "none";
      const mustCall = choice === "required" || typeof choice === "object";
      return mustCall || format === undefined ? "tools" : formatField;
    }
    default:
      return undefined;
  }
}
