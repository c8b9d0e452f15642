// Errors about reaching a server and attaching files.
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

export const attachmentErrors = {
  notFound: {
    code: "ATTACHMENT_NOT_FOUND",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The attachment does not exist.",
  },
  unreadable: {
    code: "ATTACHMENT_UNREADABLE",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The attachment cannot be read.",
  },
  tooLarge: {
    code: "ATTACHMENT_TOO_LARGE",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The attachment is too large, in bytes or in pixels.",
  },
  notImage: {
    code: "ATTACHMENT_NOT_IMAGE",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The attachment is not an image, or is damaged.",
  },
  notText: {
    code: "ATTACHMENT_NOT_TEXT",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The attachment is neither text nor an image.",
  },
  unseen: {
    code: "ATTACHMENT_UNSEEN",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The model does not accept images.",
  },
} as const satisfies Record<string, ErrorDefinition>;
