// Renders a small preview of an image with half blocks: two pixels in each cell of the terminal.
import type { ImageAttachment } from "./read-image-file.ts";

/** One cell: its upper pixel and its lower one, as `#rrggbb`. */
export interface PixelCell {
  readonly upper: string;
  readonly lower: string;
}

export interface PreviewSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Returns an image scaled to fit into these cells, row by row from the top; a pixel is half a cell.
 *
 * @throws the decoder's error for a damaged image
 */
export async function halfBlocks(
  image: Pick<ImageAttachment, "base64">,
  size: PreviewSize,
): Promise<PixelCell[][]> {
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  const { data, info } = await sharp(Buffer.from(image.base64, "base64"))
    .autoOrient()
    .resize(size.columns, size.rows * 2, { fit: "inside" })
    .flatten({ background: "white" })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixel = (x: number, y: number) => {
    const at = (Math.min(y, info.height - 1) * info.width + x) * info.channels;
    // A grey image has one channel.
    const green = info.channels < 3 ? at : at + 1;
    const blue = info.channels < 3 ? at : at + 2;
    return `#${hex(data[at])}${hex(data[green])}${hex(data[blue])}`;
  };
  return Array.from({ length: Math.ceil(info.height / 2) }, (_, row) =>
    Array.from({ length: info.width }, (_, x) => ({
      upper: pixel(x, row * 2),
      lower: pixel(x, row * 2 + 1),
    })),
  );
}

function hex(byte = 0): string {
  return byte.toString(16).padStart(2, "0");
}
