// A wait that ends when a request is cancelled.
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";

/** @throws ProductError `ENGINE_CANCELLED` */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw cancelled();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(cancelled());
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

export function cancelled(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "The request was cancelled." });
}
