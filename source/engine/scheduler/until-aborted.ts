// A wait that ends when a request is cancelled.
import { ProductError } from "../../base/product-error.ts";
import { unlessAborted } from "../../base/unless-aborted.ts";
import { engineErrors } from "../errors.ts";

/** @throws ProductError `ENGINE_CANCELLED` */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted(promise, signal, cancelled);
}

export function cancelled(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "The request was cancelled." });
}
