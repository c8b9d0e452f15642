// Valid refusal: a documented error with a status below 500.
import { findErrorDefinition } from "../../source/application/error-catalog.ts";
import { ProductError } from "../../source/base/product-error.ts";

/** Returns a documented error instead of throwing it. */
export async function orRefusal<T>(work: () => T | Promise<T>): Promise<T | ProductError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProductError && isDocumented(error.code)) return error;
    throw error;
  }
}

/** Returns true for a documented error code. */
export function isDocumented(code: unknown): boolean {
  return (
    typeof code === "string" && code !== "UNEXPECTED" && findErrorDefinition(code) !== undefined
  );
}
