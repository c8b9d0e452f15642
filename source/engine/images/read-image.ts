// Image check before any engine: decodes the whole image and converts it to a file that every
// engine reads, since engines may crash on broken ones.
import type { Metadata, Sharp } from "sharp";
import { ProductError } from "../../base/product-error.ts";
import type { ChatImage } from "../../prompt/chat-message.ts";
import { engineErrors } from "../errors.ts";

const maxPixels = 100_000_000;
/** Models use no more; larger images are scaled down once instead of in every engine. */
const longestSide = 4096;
const decodeSeconds = 30;

/**
 * @returns the image as PNG or JPEG: upright, opaque, without animation
 * @throws ProductError `ENGINE_IMAGE_INVALID`
 */
export async function readImage(image: ChatImage): Promise<ChatImage> {
  const bytes = Buffer.from(image.base64, "base64");
  const format = formatOf(bytes, image);
  const { default: sharp } = await import("sharp");
  // An image must not take all cores from the models, nor keep memory.
  sharp.concurrency(1);
  sharp.cache(false);
  try {
    // Sharp's own error for a large image would not say how large it is.
    const metadata = await sharp(bytes, { limitInputPixels: false }).metadata();
    refuseTooLarge(metadata, image);
    // Sharp's default refuses images for mere warnings. It reads only an animation's first frame.
    const decoder = sharp(bytes, { failOn: "error", limitInputPixels: maxPixels });
    decoder.timeout({ seconds: decodeSeconds });
    if (isPlain(metadata, format)) {
      await decoder.stats();
      return image;
    }
    const converted = await plain(decoder).toBuffer();
    return { ...image, base64: converted.toString("base64") };
  } catch (error) {
    if (error instanceof ProductError) throw error;
    throw invalid(
      image,
      "The image cannot be decoded: it is damaged or cut off.",
      "Send the whole file, or save it again as PNG, JPEG or WebP.",
      error,
    );
  }
}

function formatOf(bytes: Buffer, image: ChatImage): ImageFormat {
  if (bytes.length === 0) throw invalid(image, "The image is empty.", "Send the file's content.");
  const found = imageFormatOf(bytes);
  if (found === undefined || "undecodable" in found) {
    const what = found === undefined ? "in an unknown format" : found.undecodable;
    const hint = "Send a PNG, JPEG or WebP image.";
    throw invalid(image, `The image is ${what}, which is not supported.`, hint);
  }
  const { mimeType } = image;
  const claimed = mimeType?.toLowerCase().replace("image/jpg", "image/jpeg");
  if (claimed !== undefined && claimed !== `image/${found.format}` && claimed !== "image/heif") {
    throw invalid(
      image,
      `The image is declared as ${mimeType}, but is ${found.format.toUpperCase()}.`,
      `Declare it as image/${found.format}.`,
    );
  }
  return found.format;
}

function refuseTooLarge({ width, height }: Metadata, image: ChatImage): void {
  if (width * height <= maxPixels) return;
  throw invalid(
    image,
    `The image has ${width} x ${height} pixels, more than the limit of ${maxPixels / 1e6} million.`,
    "Send a smaller image.",
  );
}

/** Returns true if every engine reads the file as it is, upright and opaque. */
function isPlain(
  { width, height, hasAlpha, orientation = 1, depth, space }: Metadata,
  format: ImageFormat,
): boolean {
  return (
    (format === "png" || format === "jpeg") &&
    Math.max(width, height) <= longestSide &&
    !hasAlpha &&
    orientation === 1 &&
    depth === "uchar" &&
    (space === "srgb" || space === "b-w")
  );
}

/** Makes transparent parts white: engines would show the colour behind them. */
function plain(decoder: Sharp): Sharp {
  return decoder
    .autoOrient()
    .resize(longestSide, longestSide, { fit: "inside", withoutEnlargement: true })
    .flatten({ background: "white" })
    .toColourspace("srgb")
    .png({ compressionLevel: 3 });
}

function invalid(image: ChatImage, message: string, hint: string, cause?: unknown): ProductError {
  return new ProductError(engineErrors.imageInvalid, {
    message,
    hint,
    ...(image.param !== undefined && { param: image.param }),
    ...(cause !== undefined && { cause }),
  });
}

/** Formats that can be decoded. */
type ImageFormat = "png" | "jpeg" | "webp" | "gif" | "tiff" | "avif" | "heic";

/** Known formats that cannot be decoded, with their names for people. */
const undecodable: ReadonlyArray<readonly [name: string, isIt: (bytes: Buffer) => boolean]> = [
  ["an SVG drawing", (bytes) => /^\s*(?:<\?xml|<!DOCTYPE svg|<!--|<svg)/i.test(textOf(bytes))],
  ["a BMP file", (bytes) => startsWith(bytes, "BM") && bytes.length >= 26],
  ["a PDF document", (bytes) => startsWith(bytes, "%PDF")],
  ["an HTML page", (bytes) => /^\s*<(?:!doctype html|html|head|body)/i.test(textOf(bytes))],
];

/**
 * Detects the format by a file's first bytes, before any decoder sees it. Returns the format, or
 * the name of a known one that cannot be decoded, or undefined.
 */
function imageFormatOf(
  bytes: Buffer,
): { format: ImageFormat } | { undecodable: string } | undefined {
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) return { format: "png" };
  if (startsWith(bytes, "\xff\xd8\xff")) return { format: "jpeg" };
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) return { format: "gif" };
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) return { format: "webp" };
  if (startsWith(bytes, "II*\0") || startsWith(bytes, "MM\0*")) return { format: "tiff" };
  if (startsWith(bytes, "ftyp", 4)) {
    const brand = bytes.toString("latin1", 8, 12);
    if (/^avi[fs]$/.test(brand)) return { format: "avif" };
    if (/^(?:hei[cfsx]|mif1|msf1)$/.test(brand)) return { format: "heic" };
  }
  const found = undecodable.find(([, isIt]) => isIt(bytes));
  return found === undefined ? undefined : { undecodable: found[0] };
}

function startsWith(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.toString("latin1", at, at + text.length) === text;
}

/** Returns the beginning as text, without its byte order mark. */
function textOf(bytes: Buffer): string {
  return bytes.toString("utf8", 0, 512).replace(/^\ufeff/, "");
}
