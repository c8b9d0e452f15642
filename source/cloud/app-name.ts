// The rules for the names of organisations and apps, which are the first segments of every URL.
import { ProductError } from "../base/product-error.ts";
import { quoteShort } from "../base/seen-text.ts";
import { cloudErrors } from "./errors.ts";

/** Lower case, digits and hyphens, as in a host name. */
const namePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Paths of the gateway itself, or names that people take for them. */
const reservedOrganisations = new Set(["_", "v1", "health", "metrics", "admin", "static"]);

/** @returns why a name is refused, as the end of a sentence; undefined when it may be used */
export function nameFault(kind: "app" | "organisation", name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > 63) return "is longer than 63 characters";
  if (!namePattern.test(name)) {
    return "may only have a-z, 0-9 and hyphens, and begins and ends with a letter or digit";
  }
  if (name.includes("--")) return "has two hyphens in a row, which stand for environments";
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

/** A legal name that is near a text, such as a file's name. */
export function suggestName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/\.[a-z]+$/, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "my-app" : name;
}
