// Compiles schemas with the first request that needs them: compiling all at start takes a fifth of
// the startup time.
import createCompilers from "@fastify/ajv-compiler";
import type { FastifyInstance } from "fastify";
import type { FastifySchemaCompiler, FastifyValidationResult } from "fastify/types/schema.js";

const buildCompiler = createCompilers();

/** Bodies are checked, not changed. */
const options = { coerceTypes: false, removeAdditional: false, useDefaults: false } as const;

/**
 * Makes Ajv compile a route's schema on its first request; reply schemas are only documentation.
 */
export function compileSchemasLate(app: FastifyInstance): void {
  let compile: ReturnType<typeof buildCompiler> | undefined;
  const compileLate: FastifySchemaCompiler<object> = ({ schema }) => {
    let validate: FastifyValidationResult | undefined;
    const validateLate: FastifyValidationResult = (data: unknown) => {
      compile ??= buildCompiler({}, { customOptions: options });
      validate ??= compile({ schema }) as FastifyValidationResult;
      const result = validate(data);
      validateLate.errors = validate.errors ?? null;
      return result;
    };
    return validateLate;
  };
  app.setValidatorCompiler(compileLate);
  app.setSerializerCompiler(() => JSON.stringify);
}
