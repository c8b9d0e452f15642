// Rules for names of organisations and apps, the first segments of every URL.

import { quoteShort } from "../base/display-text.ts";
import { ProductError } from "../base/product-error.ts";
import { cloudErrors } from "./errors.ts";

/** Same rules as a host name label: lower case, digits and hyphens. */
const namePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Paths of the gateway itself, or names easily mistaken for them. */
const reservedOrganisations = new Set([
  ...["_", "v1", "health", "metrics", "admin", "static", "queue"],
]);

/**
 * @returns the reason why a name is invalid, as the end of a sentence; undefined for a valid one
 */
export function nameFault(kind: "app" | "organisation", name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > 63) return "is longer than 63 characters";
  if (!namePattern.test(name)) {
    return "may only contain a-z, 0-9 and hyphens, and must start and end with a letter or digit";
  }
  if (name.includes("--"))
    return "contains two hyphens in a row, which are reserved for environments";
  if (kind === "organisation" && reservedOrganisations.has(name)) return "is reserved";
  return undefined;
}

/** @throws ProductError `CLOUD_NAME_INVALID` */
export function checkName(kind: "app" | "organisation", name: string): string {
  const fault = nameFault(kind, name);
  if (fault === undefined) return name;
  throw new ProductError(cloudErrors.nameInvalid, {
    message: `The ${kind} name ${quoteShort(name, 64)} ${fault}.`,
    hint: `Choose one such as ${suggestName(name)}.`,
    param: kind === "app" ? "name" : "organisation",
  });
}

/** Suggests a valid name close to a text, such as a file name. */
export function suggestName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/\.[a-z]+$/, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "my-app" : name;
}
