// Fields of the native API that this server would have to ignore: refused instead.
import { ProductError } from "../../../base/product-error.ts";
import { serverErrors, unsupportedField } from "../../errors.ts";
import type { ChatBody, GenerateBody } from "./schema.ts";

/** @throws ProductError `SERVER_FIELD_UNSUPPORTED` naming the field */
export function refuseUnsupported(body: GenerateBody | ChatBody): void {
  if (body.format !== undefined && body.format !== "") {
    throw unsupportedField("format", "answers are not constrained to a format");
  }
  if (body.think !== undefined && body.think !== false) {
    throw unsupportedField("think", "the model's thinking is not told apart from its answer");
  }
  if (body.truncate === true) {
    throw unsupportedField("truncate", "a prompt that is too long is refused, never cut");
  }
  if (body.shift === true) {
    throw unsupportedField("shift", "a full window ends the answer, nothing is dropped");
  }
}

/** The wording that clients look for. */
export function refuseImages(images: readonly unknown[] | null | undefined, model: string): void {
  if (!Array.isArray(images) || images.length === 0) return;
  throw new ProductError(serverErrors.fieldUnsupported, {
    message: `"${model}" does not support images`,
    param: "images",
  });
}
