// Unpacks compressed bodies, which some clients send for long conversations.
import { Readable } from "node:stream";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { FastifyInstance } from "fastify";
import { quoteShort } from "../../base/display-text.ts";
import { formatMemory } from "../../base/formats.ts";
import { codingUnknown, isKnownCoding } from "../../base/http-connection.ts";
import { ProductError } from "../../base/product-error.ts";
import { serverErrors } from "../errors.ts";
import { raiseBodyLimit } from "./error-replies.ts";

/** A few packed kilobytes can hold gigabytes, so the limit is lower than for plain bodies. */
const largestUnpackedBytes = 20 * 1024 ** 2;

type Unpack = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const gunzip: Unpack = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);

const encodings: Readonly<Record<string, Unpack>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  // Since Node 22.15.
  ...("zstdDecompress" in zlib && {
    zstd: promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
  }),
};

/** Only for routes with JSON bodies; others get the body as sent. */
export function unpackBodies(app: FastifyInstance, largestBodyBytes: number): void {
  app.addHook("onRequest", async ({ headers }) => {
    if (isKnownCoding(headers["transfer-encoding"])) return;
    throw new ProductError(serverErrors.transferCodingUnknown, { message: codingUnknown });
  });
  const limitBytes = Math.min(largestUnpackedBytes, largestBodyBytes);
  app.addHook("preParsing", async (request, _reply, payload) => {
    const encoding = (request.headers["content-encoding"] ?? "").trim().toLowerCase();
    const isPlain = encoding === "" || encoding === "identity";
    if (isPlain || request.routeOptions.schema?.body === undefined) return payload;
    const unpack = Object.hasOwn(encodings, encoding) ? encodings[encoding] : undefined;
    if (unpack === undefined) {
      throw new ProductError(serverErrors.bodyEncodingUnknown, {
        message: `The request body has the unknown encoding ${quoteShort(encoding)}.`,
        hint: `Send it uncompressed, or as one of ${Object.keys(encodings).join(", ")}.`,
      });
    }
    const packed = await readAll(payload, limitBytes);
    const unpacked = await unpackAll(packed, unpack, encoding, limitBytes);
    return Object.assign(Readable.from([unpacked], { objectMode: false }), {
      // Fastify compares this with the Content-Length.
      receivedEncodedLength: packed.length,
    });
  });
}

async function readAll(
  payload: AsyncIterable<Buffer | string>,
  limitBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of payload) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.length;
    if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

async function unpackAll(
  packed: Buffer,
  unpack: Unpack,
  encoding: string,
  limitBytes: number,
): Promise<Buffer> {
  try {
    return await unpack(packed, { maxOutputLength: limitBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limitBytes);
    throw new ProductError(serverErrors.bodyInvalid, {
      message: `The request body is not valid ${encoding}.`,
      cause: error,
    });
  }
}

function tooLarge(limitBytes: number): ProductError {
  return new ProductError(serverErrors.bodyTooLarge, {
    message: `The uncompressed request body exceeds the limit of ${formatMemory(limitBytes)}.`,
    hint:
      limitBytes === largestUnpackedBytes
        ? "Send it uncompressed: plain bodies may be larger."
        : raiseBodyLimit,
  });
}
