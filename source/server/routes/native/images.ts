// Images of a request: base64 texts or data URIs, checked before anything is done with them.
import { ProductError } from "../../../base/product-error.ts";
import { engineErrors } from "../../../engine/errors.ts";
import { invalidField } from "../../errors.ts";
import { illegalBase64At } from "./base64.ts";

/**
 * @param param where they stand in the body
 * @throws ProductError `SERVER_FIELD_INVALID` with the place of the first wrong character
 */
export function checkImages(images: readonly string[] | null | undefined, param: string): void {
  for (const [index, image] of (images ?? []).entries()) {
    // People paste data URIs; the base64 text alone counts.
    const at = illegalBase64At(image.replace(/^data:[^,]{0,200};base64,/i, ""));
    if (at !== undefined) {
      throw invalidField(`${param}.${index}`, `illegal base64 data at input byte ${at}`);
    }
  }
}

/** @throws ProductError `ENGINE_CAPABILITY_MISSING`, in words that clients look for */
export function refuseImages(images: readonly string[] | null | undefined, model: string): void {
  if ((images ?? []).length === 0) return;
  throw new ProductError(engineErrors.capabilityMissing, {
    message: `"${model}" does not support images`,
    hint: "Leave 'images' out, or use another model.",
    param: "images",
  });
}
