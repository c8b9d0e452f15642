// Every error about reaching a server.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const clientErrors = {
  unreachable: {
    code: "CLIENT_SERVER_UNREACHABLE",
    status: 503,
    exitCode: exitCodes.unreachable,
    description: "No server answers at the address.",
  },
  vanished: {
    code: "CLIENT_SERVER_VANISHED",
    status: 503,
    exitCode: exitCodes.unreachable,
    description: "The server closed the connection during an answer.",
  },
  replyUnreadable: {
    code: "CLIENT_REPLY_UNREADABLE",
    status: 502,
    exitCode: exitCodes.unexpected,
    description: "The server at the address does not support this API.",
  },
  notOffered: {
    code: "CLIENT_NOT_OFFERED",
    status: 501,
    exitCode: exitCodes.conflict,
    description: "The server does not support this operation.",
  },
} as const satisfies Record<string, ErrorDefinition>;
