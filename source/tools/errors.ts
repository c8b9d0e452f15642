// Errors of tools and of the servers that offer them.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const toolErrors = {
  fileInvalid: {
    code: "TOOLS_FILE_INVALID",
    status: 500,
    exitCode: exitCodes.usage,
    description: "mcp.json is not valid JSON, or an entry in it is invalid.",
  },
  fileUnwritable: {
    code: "TOOLS_FILE_UNWRITABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "mcp.json cannot be written.",
  },
  serverUnknown: {
    code: "TOOLS_SERVER_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No tool server with this name exists in mcp.json.",
  },
  serverExists: {
    code: "TOOLS_SERVER_EXISTS",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "A tool server with this name exists already.",
  },
  serverFailed: {
    code: "TOOLS_SERVER_FAILED",
    status: 502,
    exitCode: exitCodes.unreachable,
    description: "A tool server could not be started, ended, or broke the protocol.",
  },
  loginNeeded: {
    code: "TOOLS_LOGIN_NEEDED",
    status: 401,
    exitCode: exitCodes.refused,
    description: "A tool server over HTTP needs a login.",
  },
  callTimeout: {
    code: "TOOLS_CALL_TIMEOUT",
    status: 504,
    exitCode: exitCodes.timeout,
    description: "A tool did not finish in time.",
  },
  callRefused: {
    code: "TOOLS_CALL_REFUSED",
    status: 403,
    exitCode: exitCodes.usage,
    description: "A model called a tool that nobody allowed, where nobody can be asked.",
  },
  modelWithoutTools: {
    code: "TOOLS_MODEL_WITHOUT_TOOLS",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A model that calls no tools was given some.",
  },
  callFailed: {
    code: "TOOLS_CALL_FAILED",
    status: 502,
    exitCode: exitCodes.unexpected,
    description: "A tool server refused a call.",
  },
} as const satisfies Record<string, ErrorDefinition>;
