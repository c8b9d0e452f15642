// Tells what a text that names a model means: a file, or a name.
import { looksLikePath, toAbsolutePath } from "../base/file-path.ts";
import { ProductError } from "../base/product-error.ts";
import { storeErrors } from "./errors.ts";

export type ModelReference =
  | { kind: "file"; path: string }
  /** `display` always shows the tag: `tiny` is `tiny:latest`. */
  | { kind: "name"; name: string; tag: string; display: string };

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,79}$/;

/**
 * @param folder what a relative path starts from
 * @throws ProductError `STORE_NAME_INVALID`
 */
export function parseModelReference(text: string, folder?: string): ModelReference {
  if (looksLikePath(text)) return { kind: "file", path: toAbsolutePath(text, folder) };
  const [name = "", tag = "latest", ...more] = text.split(":");
  const parts = name.split("/");
  if (more.length > 0 || ![...parts, tag].every((part) => namePattern.test(part))) {
    throw new ProductError(storeErrors.nameInvalid, {
      message: `invalid model name: ${JSON.stringify(text)} is neither a model name nor a path to a .gguf file.`,
      hint: "Names look like llama3:8b; a path needs a slash or the ending .gguf.",
      param: "model",
    });
  }
  return { kind: "name", name, tag, display: `${name}:${tag}` };
}
