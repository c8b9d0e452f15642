// Images in request bodies, in the forms of all APIs.
import { isRecord } from "../../base/json.ts";

export interface ImageField {
  /** Base64, a data URI, or a URL. */
  text: string;
  /** Path of the image in the body. */
  param: string;
  /** Sets the field to another URL; undefined for fields that cannot hold one. */
  replace?: (url: string) => void;
}

/**
 * Finds `images` of native requests, `image_url` as text or object, and `source.data` or `source.url`;
 * also in tool results.
 */
export function imageFieldsIn(body: unknown): ImageField[] {
  if (!isRecord(body)) return [];
  const found: ImageField[] = [];
  addListed(found, body.images, "images");
  addAll(found, body.messages, "messages");
  addAll(found, body.input, "input");
  return found;
}

function addAll(found: ImageField[], value: unknown, param: string): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addAll(found, item, `${param}.${index}`);
    return;
  }
  if (!isRecord(value)) return;
  addListed(found, value.images, `${param}.images`);
  addUrl(found, value, "image_url", param);
  const { image_url: image, source } = value;
  if (isRecord(image)) addUrl(found, image, "url", param);
  if (isRecord(source)) {
    if (source.type === "url") addUrl(found, source, "url", param);
    else if (typeof source.data === "string") found.push({ text: source.data, param });
  }
  for (const name of ["content", "output"]) addAll(found, value[name], `${param}.${name}`);
}

function addListed(found: ImageField[], images: unknown, param: string): void {
  if (!Array.isArray(images)) return;
  for (const [index, text] of images.entries()) {
    if (typeof text === "string") found.push({ text, param: `${param}.${index}` });
  }
}

function addUrl(
  found: ImageField[],
  owner: Record<string, unknown>,
  name: string,
  param: string,
): void {
  const text = owner[name];
  if (typeof text !== "string") return;
  const replace = (url: string) => {
    owner[name] = url;
  };
  found.push({ text, param, replace });
}
