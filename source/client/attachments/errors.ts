// Every error about files that a person attaches to a message.
import { type ErrorDefinition, exitCodes } from "../../base/product-error.ts";

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
