// Image formats, told apart by a file's first bytes before any decoder sees it.

/** Formats that can be decoded. */
export type ImageFormat = "png" | "jpeg" | "webp" | "gif" | "tiff" | "avif" | "heic";

/** Known formats that cannot be decoded, with their names for people. */
const undecodable: ReadonlyArray<readonly [name: string, isIt: (bytes: Buffer) => boolean]> = [
  ["an SVG drawing", (bytes) => /^\s*(?:<\?xml|<!DOCTYPE svg|<!--|<svg)/i.test(textOf(bytes))],
  ["a BMP file", (bytes) => startsWith(bytes, "BM") && bytes.length >= 26],
  ["a PDF document", (bytes) => startsWith(bytes, "%PDF")],
  ["an HTML page", (bytes) => /^\s*<(?:!doctype html|html|head|body)/i.test(textOf(bytes))],
];

/** Returns the format, or the name of a known one that cannot be decoded, or undefined. */
export function imageFormatOf(
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
