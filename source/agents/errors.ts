// Errors about coding agents.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const agentErrors = {
  unknown: {
    code: "AGENT_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "`modelctl launch` knows no agent of this name.",
  },
  unsupported: {
    code: "AGENT_UNSUPPORTED",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The agent cannot use the server.",
  },
  notInstalled: {
    code: "AGENT_NOT_INSTALLED",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The agent's program is not on the PATH.",
  },
  folderUnwritable: {
    code: "AGENT_FOLDER_UNWRITABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The folder for an agent's files, in modelctl's data folder, is not writable.",
  },
  modelWithoutTools: {
    code: "AGENT_MODEL_WITHOUT_TOOLS",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The agent works by calling tools, which the model cannot.",
  },
  windowTooSmall: {
    code: "AGENT_WINDOW_TOO_SMALL",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The model's context window cannot hold the agent's first prompt.",
  },
} as const satisfies Record<string, ErrorDefinition>;
