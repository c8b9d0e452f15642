// Names the request field behind an engine error: the engine does not know the API.
import { ProductError } from "../../../base/product-error.ts";
import { engineErrors } from "../../../engine/errors.ts";
import type { CanonicalRequest } from "../../../engine/request.ts";
import { promptErrors } from "../../../prompt/errors.ts";

/**
 * Adds the field to an error; returns others unchanged.
 *
 * @param formatField the API's name for the format of an answer
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
      // A forced call is constrained by the tools' schemas alone.
      const choice = input.kind === "chat" ? input.toolChoice : "none";
      const mustCall = choice === "required" || typeof choice === "object";
      return mustCall || format === undefined ? "tools" : formatField;
    }
    default:
      return undefined;
  }
}
