// Every error about requests as such: bodies, fields, addresses, ports.
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
    description: "The request's body is not JSON.",
  },
  bodyTooLarge: {
    code: "SERVER_BODY_TOO_LARGE",
    status: 413,
    exitCode: exitCodes.usage,
    description: "The request's body is larger than the server takes.",
  },
  requestTooSlow: {
    code: "SERVER_REQUEST_TOO_SLOW",
    status: 408,
    exitCode: exitCodes.usage,
    description: "The request's headers or its body arrived too slowly.",
  },
  bodyEncodingUnknown: {
    code: "SERVER_BODY_ENCODING_UNKNOWN",
    status: 415,
    exitCode: exitCodes.usage,
    description: "The request's body is compressed in a way that the server does not know.",
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
    description: "A field of the request has a wrong type or a value out of range.",
  },
  fieldUnsupported: {
    code: "SERVER_FIELD_UNSUPPORTED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A field would change the answer in a way that this server does not offer.",
  },
  requestNotFound: {
    code: "SERVER_REQUEST_NOT_FOUND",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No running request has the id that was to be cancelled.",
  },
  routeUnavailable: {
    code: "SERVER_ROUTE_UNAVAILABLE",
    status: 501,
    exitCode: exitCodes.refused,
    description: "The route is one of the API's, but this server does not offer what it is for.",
  },
  requestUnknown: {
    code: "SERVER_REQUEST_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The request log has no request with this id, or has forgotten it.",
  },
  keyMissing: {
    code: "SERVER_KEY_MISSING",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The server asks for a key, and the request brought none.",
  },
  keyHeaderMalformed: {
    code: "SERVER_KEY_HEADER_MALFORMED",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The header that should hold a key has another scheme, or holds no key.",
  },
  keyInvalid: {
    code: "SERVER_KEY_INVALID",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The key is mistyped, unknown, revoked or expired.",
  },
  keyForbidden: {
    code: "SERVER_KEY_FORBIDDEN",
    status: 403,
    exitCode: exitCodes.refused,
    description: "The key's role does not allow this, or it needs a key.",
  },
  hostRefused: {
    code: "SERVER_HOST_REFUSED",
    status: 403,
    exitCode: exitCodes.refused,
    description:
      "The Host header names no name of this machine, and `allowed_hosts` does not list it.",
  },
  rateLimited: {
    code: "SERVER_RATE_LIMITED",
    status: 429,
    exitCode: exitCodes.refused,
    description:
      "More requests than the server takes from one key, or from one address without any.",
  },
  noKey: {
    code: "SERVER_NO_KEY",
    status: 500,
    exitCode: exitCodes.refused,
    description: "Other machines could reach the server, and it would ask nobody for a key.",
  },
  headerTooLarge: {
    code: "SERVER_HEADER_TOO_LARGE",
    status: 431,
    exitCode: exitCodes.usage,
    description: "The request's headers are larger than the server takes.",
  },
  urlTooLong: {
    code: "SERVER_URL_TOO_LONG",
    status: 414,
    exitCode: exitCodes.usage,
    description: "The request's URL is longer than the server takes.",
  },
  imageTooLarge: {
    code: "SERVER_IMAGE_TOO_LARGE",
    status: 413,
    exitCode: exitCodes.usage,
    description: "An image in the request is larger than the server takes.",
  },
  imageRemote: {
    code: "SERVER_IMAGE_REMOTE",
    status: 400,
    exitCode: exitCodes.usage,
    description: "An image on another machine is not fetched, or could not be.",
  },
  portTaken: {
    code: "SERVER_PORT_TAKEN",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "The address to listen on belongs to another program.",
  },
  alreadyRunning: {
    code: "SERVER_ALREADY_RUNNING",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "A server of this program already answers at the address.",
  },
  addressUnusable: {
    code: "SERVER_ADDRESS_UNUSABLE",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "The address to listen on cannot be bound on this machine.",
  },
  unexpected: {
    code: "UNEXPECTED",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "A defect of this program; please report it.",
  },
} as const satisfies Record<string, ErrorDefinition>;

/** A field with a wrong type or value. */
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

/** The wording that clients of Ollama look for. */
export function unsupportedTools(model: string): ProductError {
  return new ProductError(serverErrors.fieldUnsupported, {
    message: `${model} does not support tools: tool calls are not parsed out of the answer.`,
    hint: "Leave 'tools' out.",
    param: "tools",
  });
}
