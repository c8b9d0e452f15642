// JSON values of the wrong kind for a field, and bodies in which one field has another value.
import fc from "fast-check";

export type Kind = "array" | "boolean" | "null" | "number" | "object" | "string";

const values: Record<Kind, fc.Arbitrary<unknown>> = {
  array: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
  boolean: fc.boolean(),
  null: fc.constant(null),
  number: fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -1, 1e300, 2 ** 53),
  ),
  object: fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  string: fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom("true", "1", "json", "null")),
};

const kinds: readonly Kind[] = ["array", "boolean", "null", "number", "object", "string"];

/** Any value that is of none of the kinds. */
export function valueOtherThan(right: readonly Kind[]): fc.Arbitrary<unknown> {
  return fc.oneof(...kinds.filter((kind) => !right.includes(kind)).map((kind) => values[kind]));
}

export const anyValue = fc.oneof(...kinds.map((kind) => values[kind]));

/** @param path such as `input.0.role` */
export function withValueAt(body: object, path: string, value: unknown): object {
  const copy: unknown = structuredClone(body);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let place: unknown = copy;
  for (const key of keys) {
    if (typeof place !== "object" || place === null) return body;
    place = Object.getOwnPropertyDescriptor(place, key)?.value;
  }
  // Another value may stand where the path leads through.
  if (typeof place !== "object" || place === null) return body;
  Object.defineProperty(place, last, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return Object(copy);
}
