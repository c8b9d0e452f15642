// Valid refusal: a documented error with a status below 500.
import { findErrorDefinition } from "../../source/application/error-catalog.ts";
import { ProductError } from "../../source/base/product-error.ts";

/** Runs it; a refusal of the product's own is as good as a result. */
export async function orRefusal<T>(work: () => T | Promise<T>): Promise<T | ProductError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProductError && isDocumented(error.code)) return error;
    throw error;
  }
}

/** Tells whether a code is one that a person can look up; a defect's own is not enough. */
export function isDocumented(code: unknown): boolean {
  return (
    typeof code === "string" && code !== "UNEXPECTED" && findErrorDefinition(code) !== undefined
  );
}
