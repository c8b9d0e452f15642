// A wait that ends when a request is cancelled.
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";

/**
 * Handles the promise in any case, also for a request that is cancelled already: nobody else waits
 * for it, and an unhandled rejection would reach the whole process.
 *
 * @throws ProductError `ENGINE_CANCELLED`
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(cancelled());
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

export function cancelled(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "The request was cancelled." });
}
