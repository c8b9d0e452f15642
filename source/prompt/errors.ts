// Error codes for turning a conversation into a prompt.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const promptErrors = {
  templateInvalid: {
    code: "PROMPT_TEMPLATE_INVALID",
    status: 400,
    exitCode: exitCodes.loadFailed,
    description: "The model's chat template cannot be parsed.",
  },
  templateRefused: {
    code: "PROMPT_TEMPLATE_REFUSED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The model's chat template does not accept this conversation.",
  },
  templateFailed: {
    code: "PROMPT_TEMPLATE_FAILED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The model's chat template has a mistake, or uses an unsupported feature.",
  },
  templateTooCostly: {
    code: "PROMPT_TEMPLATE_TOO_COSTLY",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The model's chat template takes too much time or memory.",
  },
  schemaInvalid: {
    code: "PROMPT_SCHEMA_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A JSON schema for an answer or a tool is not a valid schema.",
  },
  schemaUnsupported: {
    code: "PROMPT_SCHEMA_UNSUPPORTED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A JSON schema requires something that cannot be enforced on an answer.",
  },
  grammarInvalid: {
    code: "PROMPT_GRAMMAR_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "A grammar for an answer is too large or too ambiguous, or has no rule named root.",
  },
  toolChoiceUnsupported: {
    code: "PROMPT_TOOL_CHOICE_UNSUPPORTED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A tool call cannot be forced with this model or these tools.",
  },
} as const satisfies Record<string, ErrorDefinition>;
