// Every error about turning a conversation into a prompt.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const promptErrors = {
  templateInvalid: {
    code: "PROMPT_TEMPLATE_INVALID",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The model's chat template cannot be understood.",
  },
  templateRefused: {
    code: "PROMPT_TEMPLATE_REFUSED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The model's chat template does not accept this conversation.",
  },
} as const satisfies Record<string, ErrorDefinition>;
