// Limits of a request: size of its headers, URL and images, and the rate of its body.
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { type MinimumRate, usualRate, watchBodyRate } from "../../base/body-rate.ts";
import { formatBytes } from "../../base/formats.ts";
import { codingRefusedCode, codingUnknown, endConnection } from "../../base/http-connection.ts";
import { type ErrorDefinition, ProductError } from "../../base/product-error.ts";
import { serverErrors } from "../errors.ts";
import { imageFieldsIn } from "./image-fields.ts";

/** Limit of all headers and the URL together. */
export const largestHeaderBytes = 32 * 1024;
const longestUrl = 8 * 1024;

/** Limits the URL and the base64 images in a JSON body. */
export function limitSizes(app: FastifyInstance, imageBytes: number): void {
  app.addHook("onRequest", async ({ url }) => {
    if (url.length <= longestUrl) return;
    throw new ProductError(serverErrors.urlTooLong, {
      message: `The URL exceeds the limit of ${longestUrl} characters.`,
    });
  });
  app.addHook("preValidation", async ({ body }) => {
    for (const { text, param } of imageFieldsIn(body)) {
      const sizeBytes = Math.floor((text.length * 3) / 4);
      if (sizeBytes <= imageBytes) continue;
      throw new ProductError(serverErrors.imageTooLarge, {
        message: `The image in '${param}' is ${formatBytes(sizeBytes)}; the limit is ${formatBytes(imageBytes)}.`,
        hint: "Make it smaller, or raise max_image_size.",
        param,
      });
    }
  });
}

/** Ends requests whose bodies arrive too slowly: each holds a connection, and some a file. */
export function refuseSlowBodies(app: FastifyInstance, rate: MinimumRate = usualRate): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    watchBodyRate(raw, rate, () => {
      if (reply.sent) {
        raw.destroy();
        return;
      }
      // Node drops the body after a reply; a reader of it would wait forever.
      reply.raw.once("close", () => raw.destroy());
      reply.header("connection", "close").send(tooSlow(rate));
    });
  });
}

function tooSlow({ bytes, windowMs }: MinimumRate): ProductError {
  return new ProductError(serverErrors.requestTooSlow, {
    message: `The request body arrived too slowly: less than ${formatBytes(bytes)} in ${windowMs / 1000} s.`,
  });
}

/** Replies on the bare connection to requests that are not valid HTTP: they have no route. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, definition, message] = reasonOf(error.code);
  const body = JSON.stringify({ error: message, code: definition.code });
  endConnection(
    socket,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function reasonOf(code: string | undefined): [string, ErrorDefinition, string] {
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `The request's headers exceed the limit of ${largestHeaderBytes / 1024} KiB.`;
    return ["431 Request Header Fields Too Large", serverErrors.headerTooLarge, message];
  }
  if (code === codingRefusedCode) {
    return ["400 Bad Request", serverErrors.transferCodingUnknown, codingUnknown];
  }
  if (code === "ERR_SSL_HTTP_REQUEST") {
    const message = "This address accepts only HTTPS. Use https://.";
    return ["400 Bad Request", serverErrors.bodyInvalid, message];
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const message = "The request's headers took too long to arrive.";
    return ["408 Request Timeout", serverErrors.requestTooSlow, message];
  }
  return ["400 Bad Request", serverErrors.bodyInvalid, "The request cannot be read as HTTP."];
}
