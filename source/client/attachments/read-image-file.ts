// Reads an attached image file, and verifies that it is an image.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { formatBytes } from "../../base/formats.ts";
import { ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { attachmentErrors } from "../errors.ts";

/** An image to send to a model. */
export interface ImageAttachment {
  /** File name without its folder. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** The file's unchanged bytes. */
  readonly base64: string;
  readonly sizeBytes: number;
  /** Pixels, after the rotation that the file asks for. */
  readonly width: number;
  readonly height: number;
}

/** Default limit of servers. */
const largestBytes = 20 * 2 ** 20;
const maxPixels = 100_000_000;
const decodeSeconds = 30;
const readable = new Set(["png", "jpeg", "webp", "gif", "tiff", "avif", "heif"]);

/**
 * @param file absolute
 * @throws ProductError `ATTACHMENT_...`, naming the file
 */
export async function readImageFile(file: string): Promise<ImageAttachment> {
  const name = path.basename(file);
  const bytes = await readBytes(file, name);
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  const decoder = sharp(bytes, { failOn: "error", limitInputPixels: false });
  const {
    format,
    width,
    height,
    orientation = 1,
  } = await decoder.metadata().catch((error) => {
    throw notImage(`${name} is not an image.`, error);
  });
  if (format === undefined || !readable.has(format)) {
    throw notImage(`${name} is an image in the unsupported format ${format}.`);
  }
  if (width * height > maxPixels) {
    throw new ProductError(attachmentErrors.tooLarge, {
      message: `${name} is too large: ${width} x ${height} pixels, the limit is ${maxPixels / 1e6} million.`,
      hint: "Make it smaller.",
    });
  }
  decoder.timeout({ seconds: decodeSeconds });
  await decoder.stats().catch((error) => {
    throw notImage(`${name} is damaged or cut off.`, error);
  });
  const isTurned = orientation >= 5;
  return {
    name,
    path: file,
    base64: bytes.toString("base64"),
    sizeBytes: bytes.length,
    width: isTurned ? height : width,
    height: isTurned ? width : height,
  };
}

/** Returns `attached cat.png 640x480, 256 tokens`, or no count until it is known. */
export function attachedText(
  { name, width, height }: Pick<ImageAttachment, "name" | "width" | "height">,
  tokens?: number,
): string {
  const count = tokens === undefined ? "" : `, ${tokens} ${tokens === 1 ? "token" : "tokens"}`;
  return `attached ${name} ${width}x${height}${count}`;
}

async function readBytes(file: string, name: string): Promise<Buffer> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) throw notImage(`${name} is not a file.`);
    if (facts.size > largestBytes) {
      throw new ProductError(attachmentErrors.tooLarge, {
        message: `${name} is too large: ${formatBytes(facts.size)}, the limit for images is ${formatBytes(largestBytes)}.`,
        hint: "Make it smaller.",
      });
    }
    if (facts.size === 0) throw notImage(`${name} is empty.`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof ProductError) throw error;
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw missingFile(file);
    const why = code === "EACCES" || code === "EPERM" ? "permission denied" : String(code);
    throw new ProductError(attachmentErrors.unreadable, {
      message: `${name} cannot be read: ${why}.`,
      hint: "Check the file's permissions.",
      cause: error,
    });
  }
}

/** @param typed the path as typed */
export function missingFile(typed: string): ProductError {
  return new ProductError(attachmentErrors.notFound, {
    message: `File ${typed} does not exist.`,
    hint: "Check the path; press Tab to complete it.",
  });
}

/** Returns the error for `/image` without a path. */
export function missingPath(): ProductError {
  return new ProductError(attachmentErrors.notFound, {
    message: "Which image?",
    hint: "/image PATH QUESTION",
  });
}

function notImage(message: string, cause?: unknown): ProductError {
  return new ProductError(attachmentErrors.notImage, {
    message,
    hint: "Use a PNG, JPEG, WebP or GIF.",
    ...(cause !== undefined && { cause }),
  });
}
