// Rules for names of organisations and apps, the first segments of every URL. The app `chat` of the
// environment `staging` is `chat--staging`; in the environment `main` it has no suffix.

import { quoteShort } from "../base/display-text.ts";
import { nearestName } from "../base/nearest-name.ts";
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
  const parts = name.split(separator);
  if (parts.length > (kind === "app" ? 2 : 1))
    return "contains two hyphens in a row, which are reserved for environments";
  if (parts[1] === mainEnvironment) return "ends with --main, which is the app without a suffix";
  if (!parts.every((part) => namePattern.test(part)))
    return "has two hyphens that do not separate an app from its environment";
  if (kind === "organisation" && reservedOrganisations.has(name)) return "is reserved";
  return undefined;
}

const separator = "--";

/** Environment of apps without a suffix. */
export const mainEnvironment = "main";

/** Returns the environment of an app: `staging` for `chat--staging`. */
export function environmentOf(app: string): string {
  return app.split(separator)[1] ?? mainEnvironment;
}

/** Returns the name of an app in another environment. */
export function inEnvironment(app: string, environment: string): string {
  const [base = app] = app.split(separator);
  return environment === mainEnvironment ? base : `${base}${separator}${environment}`;
}

/** True if a name has no suffix, or that of the environment. */
export function fitsEnvironment(app: string, environment: string): boolean {
  const own = environmentOf(app);
  return own === mainEnvironment || own === environment;
}

/** Returns what stands for all apps of an environment in a key: `*--staging`. */
export function allAppsOf(environment: string): string {
  return inEnvironment("*", environment);
}

/** @param there the environments that exist */
export function environmentUnknown(name: string, there: readonly { name: string }[]): ProductError {
  const nearest = nearestName(
    name,
    there.map((each) => each.name),
  );
  const guess = nearest === undefined ? "" : `Did you mean ${nearest}? `;
  return new ProductError(cloudErrors.environmentUnknown, {
    message: `The environment ${quoteShort(name)} does not exist.`,
    hint: `${guess}Run \`deployctl environments list\` to see all, or \`deployctl environments create\`.`,
  });
}

/** @throws ProductError `CLOUD_NAME_INVALID` */
export function checkEnvironment(name: string): string {
  const isValid = namePattern.test(name) && name.length <= 32 && !name.includes(separator);
  if (isValid) return name;
  throw new ProductError(cloudErrors.nameInvalid, {
    message: `The environment name ${quoteShort(name, 64)} is invalid: use up to 32 of a-z, 0-9 and single hyphens.`,
    hint: "Choose one such as staging.",
    param: "name",
  });
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
