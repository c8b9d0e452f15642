// Reads a yes or no in a URL's query.
import { quoteShort } from "../base/display-text.ts";
import { invalidField } from "./errors.ts";

/** `?follow` alone means yes. @throws ProductError `SERVER_FIELD_INVALID` */
export function readSwitch(param: string, value: string | undefined): boolean {
  if (value === undefined || value === "false" || value === "0") return false;
  if (value === "" || value === "true" || value === "1") return true;
  throw invalidField(param, `'${param}' is ${quoteShort(value)}, but must be true or false.`);
}
