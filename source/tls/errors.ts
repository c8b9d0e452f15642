// Errors about HTTPS.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const tlsErrors = {
  certificateUnusable: {
    code: "TLS_CERTIFICATE_UNUSABLE",
    status: 500,
    exitCode: exitCodes.usage,
    description:
      "The TLS certificate or its key cannot be read, they do not match, or it has expired.",
  },
} as const satisfies Record<string, ErrorDefinition>;
