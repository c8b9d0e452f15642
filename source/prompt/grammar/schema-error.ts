// Errors in JSON schemas; each names the place in the schema.
import { ProductError } from "../../base/product-error.ts";
import { promptErrors } from "../errors.ts";

/** JSON pointer: `/properties/name/pattern`; empty for the schema itself. */
export type SchemaPath = string;

export function below(path: SchemaPath, ...keys: Array<string | number>): SchemaPath {
  let place = path;
  for (const key of keys) place += `/${typeof key === "number" ? key : escaped(key)}`;
  return place;
}

function escaped(key: string): string {
  return /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}

/** Reason and place of a refusal; thrown where the schema's owner is not known. */
export class SchemaRefusal extends Error {
  readonly #path: SchemaPath;
  readonly #isInvalid: boolean;

  constructor(path: SchemaPath, reason: string, isInvalid: boolean) {
    super(reason);
    this.#path = path;
    this.#isInvalid = isInvalid;
  }

  /** @param owner for messages, as in "tool f" */
  toProductError(owner: string | undefined): ProductError {
    const which = owner === undefined ? "The JSON schema" : `The JSON schema of ${owner}`;
    const where = this.#path === "" ? "its top" : this.#path;
    if (this.#isInvalid) {
      return new ProductError(promptErrors.schemaInvalid, {
        message: `${which} is not valid at ${where}: ${this.message}.`,
        hint: "Correct the schema.",
      });
    }
    return new ProductError(promptErrors.schemaUnsupported, {
      message: `${which} cannot be enforced at ${where}: ${this.message}.`,
      hint: "Remove that part from the schema and check it in the answer.",
    });
  }
}

export function invalidSchema(path: SchemaPath, reason: string): SchemaRefusal {
  return new SchemaRefusal(path, reason, true);
}

export function unsupportedSchema(path: SchemaPath, reason: string): SchemaRefusal {
  return new SchemaRefusal(path, reason, false);
}
