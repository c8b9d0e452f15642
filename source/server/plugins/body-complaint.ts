// What the validator has against a body, as one error that names the field and what it must be.
import type { FastifyError } from "fastify";
import type { ProductError } from "../../base/product-error.ts";
import { invalidField } from "../errors.ts";

type Complaints = NonNullable<FastifyError["validation"]>;
type Complaint = Complaints[number];

/** @returns undefined where there is no complaint */
export function bodyComplaint(complaints: Complaints): ProductError | undefined {
  // Where a value may be of several kinds, the deepest complaint is about the one that was meant.
  const [first] = complaints.toSorted((a, b) => depthOf(b) - depthOf(a));
  if (first === undefined) return undefined;
  const path = first.instancePath.slice(1).replaceAll("/", ".");
  if (first.keyword === "required") {
    const param = [path, String(first.params.missingProperty)].filter(Boolean).join(".");
    return invalidField(param, `${param} is required`);
  }
  const subject = path === "" ? "The body" : `'${path}'`;
  return invalidField(path, `${subject} ${demandOf(first, complaints)}.`);
}

/** All kinds and values that the field may have. */
function demandOf(first: Complaint, complaints: Complaints): string | undefined {
  const here = complaints.filter(({ instancePath }) => instancePath === first.instancePath);
  const kinds = here.map(kindOf).filter((kind) => kind !== undefined);
  if (kindOf(first) === undefined) return first.message;
  const last = kinds.at(-1);
  return `must be ${kinds.length > 1 ? `${kinds.slice(0, -1).join(", ")} or ${last}` : last}`;
}

function kindOf({ keyword, params }: Complaint): string | undefined {
  if (keyword === "const") return JSON.stringify(params.allowedValue);
  if (keyword !== "type") return undefined;
  const type = String(params.type);
  if (type === "null") return type;
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function depthOf({ instancePath }: Complaint): number {
  return instancePath.split("/").length;
}
