// Every error about files that a person attaches to a message.
import { type ErrorDefinition, exitCodes } from "../../base/product-error.ts";

export const attachmentErrors = {
  notFound: {
    code: "ATTACHMENT_NOT_FOUND",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The file that was to be attached does not exist.",
  },
  unreadable: {
    code: "ATTACHMENT_UNREADABLE",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The file that was to be attached cannot be read.",
  },
  tooLarge: {
    code: "ATTACHMENT_TOO_LARGE",
    status: 400,
    exitCode: exitCodes.refused,
    description:
      "The file that was to be attached has too many bytes, or the image too many pixels.",
  },
  notImage: {
    code: "ATTACHMENT_NOT_IMAGE",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The file that was to be attached is no image, or a damaged one.",
  },
  notText: {
    code: "ATTACHMENT_NOT_TEXT",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The file that was to be attached is neither text nor an image.",
  },
  unseen: {
    code: "ATTACHMENT_UNSEEN",
    status: 400,
    exitCode: exitCodes.refused,
    description: "The model that was to look at an image cannot see.",
  },
} as const satisfies Record<string, ErrorDefinition>;
