// Replaces image URLs in a request by the images, if that is allowed: routes never see a URL.
import type { FastifyInstance } from "fastify";
import { isRecord } from "../../base/json-record.ts";
import { invalidField } from "../errors.ts";

interface RemoteImageOptions {
  isAllowed: boolean;
  /** Limit of one image. */
  largestBytes: number;
  /** Tells if an address may be contacted. Defaults to public addresses. */
  isAllowedAddress?: (address: string) => boolean;
}

const mostImages = 10;

export function fetchRemoteImages(app: FastifyInstance, options: RemoteImageOptions): void {
  if (!options.isAllowed) return;
  const { largestBytes, isAllowedAddress } = options;
  app.addHook("preHandler", async ({ body }, reply) => {
    if (!isRecord(body)) return;
    const images = ["messages", "input"].flatMap((name) => imagesIn(body[name], name));
    if (images.length === 0) return;
    if (images.length > mostImages) {
      const says = `The request has ${images.length} image URLs; this server fetches at most ${mostImages}.`;
      throw invalidField(images[mostImages]?.param ?? "", says);
    }
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once("close", leave);
    // The HTTP client is large and rarely needed.
    const { fetchImage } = await import("../fetch-image.ts");
    try {
      for (const { owner, name, url, param } of images) {
        owner[name] = await fetchImage(url, {
          largestBytes,
          param,
          signal: gone.signal,
          ...(isAllowedAddress !== undefined && { isAllowed: isAllowedAddress }),
        });
      }
    } finally {
      reply.raw.off("close", leave);
    }
  });
}

interface NamedImage {
  /** Object that holds the URL, and the name of its field. */
  owner: Record<string, unknown>;
  name: string;
  url: string;
  param: string;
}

/**
 * Finds URLs in all APIs' forms: `image_url`, text or object, and `source.url`; also in tool
 * results.
 */
function imagesIn(value: unknown, param: string): NamedImage[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => imagesIn(item, `${param}.${index}`));
  }
  if (!isRecord(value)) return [];
  const { image_url: image, source } = value;
  return [
    ...addressIn(value, "image_url", param),
    ...(isRecord(image) ? addressIn(image, "url", param) : []),
    ...(isRecord(source) && source.type === "url" ? addressIn(source, "url", param) : []),
    ...["content", "output"].flatMap((name) => imagesIn(value[name], `${param}.${name}`)),
  ];
}

function addressIn(owner: Record<string, unknown>, name: string, param: string): NamedImage[] {
  const url = owner[name];
  return typeof url === "string" && /^https?:\/\//i.test(url) ? [{ owner, name, url, param }] : [];
}
