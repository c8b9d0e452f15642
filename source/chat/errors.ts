// Errors about saved chats.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const sessionErrors = {
  notFound: {
    code: "SESSION_NOT_FOUND",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No saved chat has this name or number.",
  },
  ambiguous: {
    code: "SESSION_AMBIGUOUS",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "Several saved chats match the name.",
  },
  damaged: {
    code: "SESSION_DAMAGED",
    status: 500,
    exitCode: exitCodes.loadFailed,
    description: "The file of a saved chat cannot be read.",
  },
  unsaved: {
    code: "SESSION_UNSAVED",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "A chat cannot be saved to disk.",
  },
} as const satisfies Record<string, ErrorDefinition>;
