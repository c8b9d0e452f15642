// Errors of the server: request bodies and fields, keys, addresses and ports.
import { type ErrorDefinition, exitCodes, ProductError } from "../base/product-error.ts";

export const serverErrors = {
  bodyMissing: {
    code: "SERVER_BODY_MISSING",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The request has no body.",
  },
  bodyInvalid: {
    code: "SERVER_BODY_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The request body is not valid JSON.",
  },
  bodyTooLarge: {
    code: "SERVER_BODY_TOO_LARGE",
    status: 413,
    exitCode: exitCodes.usage,
    description: "The request body is too large.",
  },
  requestTooSlow: {
    code: "SERVER_REQUEST_TOO_SLOW",
    status: 408,
    exitCode: exitCodes.usage,
    description: "The request's headers or body arrived too slowly.",
  },
  bodyEncodingUnknown: {
    code: "SERVER_BODY_ENCODING_UNKNOWN",
    status: 415,
    exitCode: exitCodes.usage,
    description: "The request body has an unsupported Content-Encoding.",
  },
  transferCodingUnknown: {
    code: "SERVER_TRANSFER_CODING_UNKNOWN",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The request has a Transfer-Encoding other than `chunked`.",
  },
  fieldInvalid: {
    code: "SERVER_FIELD_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A field of the request has the wrong type or is out of range.",
  },
  fieldUnsupported: {
    code: "SERVER_FIELD_UNSUPPORTED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The server does not support a field that would change the answer.",
  },
  requestNotFound: {
    code: "SERVER_REQUEST_NOT_FOUND",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No running request has the id to cancel.",
  },
  routeUnavailable: {
    code: "SERVER_ROUTE_UNAVAILABLE",
    status: 501,
    exitCode: exitCodes.refused,
    description: "The route exists in the original API, but this server does not support it.",
  },
  requestUnknown: {
    code: "SERVER_REQUEST_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The request log has no request with this id, or no longer keeps it.",
  },
  keyMissing: {
    code: "SERVER_KEY_MISSING",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The server requires a key, and the request has none.",
  },
  keyHeaderMalformed: {
    code: "SERVER_KEY_HEADER_MALFORMED",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The Authorization header is not of the form `Bearer KEY`.",
  },
  keyInvalid: {
    code: "SERVER_KEY_INVALID",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The key is invalid, unknown, revoked or expired.",
  },
  keyForbidden: {
    code: "SERVER_KEY_FORBIDDEN",
    status: 403,
    exitCode: exitCodes.refused,
    description: "The key's role does not allow this operation, or the operation requires a key.",
  },
  hostRefused: {
    code: "SERVER_HOST_REFUSED",
    status: 403,
    exitCode: exitCodes.refused,
    description: "The Host header is neither a name of this machine nor listed in `allowed_hosts`.",
  },
  rateLimited: {
    code: "SERVER_RATE_LIMITED",
    status: 429,
    exitCode: exitCodes.refused,
    description: "One key, or one address without a key, sends too many requests.",
  },
  noKey: {
    code: "SERVER_NO_KEY",
    status: 500,
    exitCode: exitCodes.refused,
    description: "Refusing to listen on a public address without any key.",
  },
  headerTooLarge: {
    code: "SERVER_HEADER_TOO_LARGE",
    status: 431,
    exitCode: exitCodes.usage,
    description: "The request headers are too large.",
  },
  urlTooLong: {
    code: "SERVER_URL_TOO_LONG",
    status: 414,
    exitCode: exitCodes.usage,
    description: "The request URL is too long.",
  },
  imageTooLarge: {
    code: "SERVER_IMAGE_TOO_LARGE",
    status: 413,
    exitCode: exitCodes.usage,
    description: "An image in the request is too large.",
  },
  imageRemote: {
    code: "SERVER_IMAGE_REMOTE",
    status: 400,
    exitCode: exitCodes.usage,
    description: "Fetching images by URL is disabled, or the download failed.",
  },
  portTaken: {
    code: "SERVER_PORT_TAKEN",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "Address already in use.",
  },
  alreadyRunning: {
    code: "SERVER_ALREADY_RUNNING",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "A modelctl server is already running at the address.",
  },
  addressUnusable: {
    code: "SERVER_ADDRESS_UNUSABLE",
    status: 500,
    exitCode: exitCodes.conflict,
    description:
      "The server cannot listen on the address, for example because it is not this machine's.",
  },
  unexpected: {
    code: "UNEXPECTED",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "Internal error; please report it.",
  },
} as const satisfies Record<string, ErrorDefinition>;

/** Error for a field with a wrong type or value. */
export function invalidField(param: string, message: string): ProductError {
  return new ProductError(serverErrors.fieldInvalid, { message, param });
}

/** Refuses a field instead of ignoring it, since ignoring it would give another answer. */
export function unsupportedField(param: string, what: string): ProductError {
  return new ProductError(serverErrors.fieldUnsupported, {
    message: `'${param}' is not supported: ${what}.`,
    hint: "Leave it out.",
    param,
  });
}
