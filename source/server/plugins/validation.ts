// Checks bodies against schemas; one error names the field and the values it may have.
import createCompilers from "@fastify/ajv-compiler";
import type { FastifyError, FastifyInstance } from "fastify";
import type { FastifySchemaCompiler, FastifyValidationResult } from "fastify/types/schema.js";
import type { ProductError } from "../../base/product-error.ts";
import { invalidField } from "../errors.ts";

const buildCompiler = createCompilers();

/** Bodies are checked, not changed. */
const options = { coerceTypes: false, removeAdditional: false, useDefaults: false } as const;

/**
 * Makes Ajv compile a route's schema on its first request: compiling all at start takes a fifth of
 * the startup time. Reply schemas are only documentation.
 */
export function validateBodies(app: FastifyInstance): void {
  let compile: ReturnType<typeof buildCompiler> | undefined;
  const compileLate: FastifySchemaCompiler<object> = ({ schema }) => {
    let validate: FastifyValidationResult | undefined;
    const check: FastifyValidationResult = (data: unknown) => {
      compile ??= buildCompiler({}, { customOptions: options });
      validate ??= compile({ schema }) as FastifyValidationResult;
      const result = validate(data);
      check.errors = validate.errors ?? null;
      return result;
    };
    return check;
  };
  app.setValidatorCompiler(compileLate);
  app.setSerializerCompiler(() => JSON.stringify);
}

type Issues = NonNullable<FastifyError["validation"]>;
type Issue = Issues[number];

/** @returns undefined when there are no issues */
export function validationError(issues: Issues): ProductError | undefined {
  // For a union the deepest issue belongs to the variant that was meant.
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

/** Lists all types and values that the field may have. */
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
