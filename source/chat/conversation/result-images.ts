// Images of tools' results: strangers' files, decoded and encoded again before anybody shows or sends them.
import type { ResultImage } from "../../client/chat-events.ts";
import type { ToolImage } from "../../tools/tool.ts";

/** More or larger ones would fill the window. */
const maxImages = 8;
const longestSide = 1568;
const maxPixels = 100_000_000;
const decodeSeconds = 10;

export interface ReadImages {
  readonly images: readonly ResultImage[];
  /** Sentences about those that cannot be read, for the model. */
  readonly problems: readonly string[];
}

/** @param tool names the images */
export async function readResultImages(
  found: readonly ToolImage[],
  tool: string,
): Promise<ReadImages> {
  const images: ResultImage[] = [];
  const problems: string[] = [];
  for (const [index, image] of found.slice(0, maxImages).entries()) {
    try {
      images.push(await readImage(image, `${tool} ${index + 1}`));
    } catch {
      problems.push(`[An image (${image.type}) that cannot be read]`);
    }
  }
  const rest = found.length - maxImages;
  if (rest > 0) problems.push(`[${rest} more images, which are left out]`);
  return { images, problems };
}

async function readImage({ base64 }: ToolImage, name: string): Promise<ResultImage> {
  const { default: sharp } = await import("sharp");
  const { data, info } = await sharp(Buffer.from(base64, "base64"), { limitInputPixels: maxPixels })
    .autoOrient()
    .resize(longestSide, longestSide, { fit: "inside", withoutEnlargement: true })
    .png()
    .timeout({ seconds: decodeSeconds })
    .toBuffer({ resolveWithObject: true });
  return { name, width: info.width, height: info.height, base64: data.toString("base64") };
}
