// Replaces image URLs in a request by the images, if that is allowed: routes never see a URL.
import type { FastifyInstance } from "fastify";
import { invalidField } from "../errors.ts";
import { imageFieldsIn } from "./image-fields.ts";

interface RemoteImageOptions {
  isAllowed: boolean;
  /** Limit of one image. */
  largestBytes: number;
}

const maxImages = 10;

export function fetchRemoteImages(app: FastifyInstance, options: RemoteImageOptions): void {
  const { isAllowed, largestBytes } = options;
  if (!isAllowed) return;
  app.addHook("preHandler", async ({ body }, reply) => {
    const images = imageFieldsIn(body).filter(
      ({ text, replace }) => replace && /^https?:\/\//i.test(text),
    );
    if (images.length === 0) return;
    if (images.length > maxImages) {
      const says = `The request has ${images.length} image URLs; this server fetches at most ${maxImages}.`;
      throw invalidField(images[maxImages]?.param ?? "", says);
    }
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once("close", leave);
    // The HTTP client is large and rarely needed.
    const { fetchImage } = await import("../fetch-image.ts");
    try {
      for (const { text, param, replace } of images) {
        replace?.(await fetchImage(text, { largestBytes, param, signal: gone.signal }));
      }
    } finally {
      reply.raw.off("close", leave);
    }
  });
}
