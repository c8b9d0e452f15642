// Query parameters of the admin API.

import { quoteShort } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

export type Query = Record<string, string | undefined>;

/** @throws ProductError `CLOUD_REQUEST_INVALID` */
export function readCount(query: Query, name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  if (/^\d{1,15}(?:\.\d+)?$/.test(text)) return Math.floor(Number(text));
  throw invalid(name, `${quoteShort(text)} is not a number`);
}

/** @throws ProductError `CLOUD_REQUEST_INVALID` */
export function readFlag(query: Query, name: string): boolean {
  const text = query[name];
  if (text === undefined || text === "false" || text === "0") return false;
  if (text === "true" || text === "1" || text === "") return true;
  throw invalid(name, `${quoteShort(text)} is neither true nor false`);
}

function invalid(name: string, fault: string): ProductError {
  return new ProductError(cloudErrors.requestInvalid, {
    message: `Invalid parameter ${name}: ${fault}.`,
    param: name,
  });
}
