// Grammar for the values of one type.
import { listGrammar } from "./list-grammar.ts";
import { numberGrammar } from "./number-grammar.ts";
import { objectGrammar } from "./object-grammar.ts";
import type { SchemaObject, TypeName } from "./schema-keywords.ts";
import type { Place, TypeContext } from "./schema-place.ts";
import { stringGrammar } from "./string-grammar.ts";

/** Returns undefined if no value of the type is valid. */
export function typeGrammar(
  type: TypeName,
  schema: SchemaObject,
  place: Place,
  context: TypeContext,
): string | undefined {
  const { json } = context;
  switch (type) {
    case "null":
      return json.null;
    case "boolean":
      return json.boolean;
    case "integer":
    case "number":
      return numberGrammar(type, schema, place.path, context);
    case "string":
      return stringGrammar(schema, place.path, context);
    case "array":
      return listGrammar(schema, place, context);
    case "object":
      return objectGrammar(schema, place, context);
  }
}
