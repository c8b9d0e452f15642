// What the validator has against a body, as one error that names the field and what it must be.
import type { FastifyError } from "fastify";
import type { ProductError } from "../../base/product-error.ts";
import { invalidField } from "../errors.ts";

type Issues = NonNullable<FastifyError["validation"]>;
type Issue = Issues[number];

/** @returns undefined where there is no issue */
export function validationError(issues: Issues): ProductError | undefined {
  // Where a value may be of several kinds, the deepest issue is about the one that was meant.
  const [first] = issues.toSorted((a, b) => depthOf(b) - depthOf(a));
  if (first === undefined) return undefined;
  const path = first.instancePath.slice(1).replaceAll("/", ".");
  if (first.keyword === "required") {
    const param = [path, String(first.params.missingProperty)].filter(Boolean).join(".");
    return invalidField(param, `${param} is required`);
  }
  const subject = path === "" ? "The body" : `'${path}'`;
  return invalidField(path, `${subject} ${demandOf(first, issues)}.`);
}

/** All kinds and values that the field may have. */
function demandOf(first: Issue, issues: Issues): string | undefined {
  const here = issues.filter(({ instancePath }) => instancePath === first.instancePath);
  const kinds = here.map(kindOf).filter((kind) => kind !== undefined);
  if (kindOf(first) === undefined) return first.message;
  const last = kinds.at(-1);
  return `must be ${kinds.length > 1 ? `${kinds.slice(0, -1).join(", ")} or ${last}` : last}`;
}

function kindOf({ keyword, params }: Issue): string | undefined {
  if (keyword === "const") return JSON.stringify(params.allowedValue);
  if (keyword !== "type") return undefined;
  const type = String(params.type);
  if (type === "null") return type;
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function depthOf({ instancePath }: Issue): number {
  return instancePath.split("/").length;
}
