// Schemas made up by fast-check, each with a value that fits it.
import fc from "fast-check";

export interface SchemaWithValue {
  schema: Record<string, unknown>;
  value: unknown;
}

type Generated = fc.Arbitrary<SchemaWithValue>;

const text = fc.string({ unit: "grapheme", maxLength: 6 });
/** Names without escapes, as the grammar writes further keys. */
const name = fc.stringMatching(/^[a-c]{1,3}$/);
const json = fc.jsonValue({ maxDepth: 2 });

const integer: Generated = fc
  .tuple(
    fc.integer({ min: -1000, max: 1000 }),
    fc.nat(500),
    fc.nat(500),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([value, below, above, isLow, isHigh]) => ({
    schema: {
      type: "integer",
      ...(isLow && { minimum: value - below }),
      ...(isHigh && { exclusiveMaximum: value + above + 1 }),
    },
    value,
  }));

const hundredth = fc.integer({ min: -100_000, max: 100_000 }).map((number) => number / 100);
const number: Generated = fc
  .tuple(hundredth, hundredth, hundredth, fc.boolean())
  .map(([value, one, other, isStepped]) => ({
    schema: {
      type: "number",
      minimum: Math.min(value, one),
      maximum: Math.max(value, other),
      ...(isStepped && { multipleOf: 0.01 }),
    },
    value,
  }));

const string: Generated = fc.tuple(text, fc.nat(3), fc.nat(3)).map(([value, less, more]) => ({
  schema: {
    type: "string",
    minLength: Math.max(0, [...value].length - less),
    maxLength: [...value].length + more,
  },
  value,
}));

const patterned: Generated = fc
  .constantFrom("^[a-z]+\\d?$", "^(?:x|yz){1,3}$", "^\\w[.\\-][^a\\s]$", '^"?\\\\*$')
  .chain((pattern) =>
    fc
      .stringMatching(new RegExp(pattern))
      .map((value) => ({ schema: { type: "string", pattern }, value })),
  );

const listed: Generated = fc
  .tuple(fc.array(json, { minLength: 1, maxLength: 4 }), fc.nat())
  .map(([values, place]) => ({ schema: { enum: values }, value: values[place % values.length] }));

const plain: Generated = fc.oneof(
  fc.constant({ schema: { type: "null" }, value: null }),
  fc.boolean().map((value) => ({ schema: { type: "boolean" }, value })),
  json.map((value) => ({ schema: {}, value })),
);

function listOf(item: Generated): Generated {
  const alike = item.chain(({ schema, value }) =>
    fc.tuple(fc.nat(3), fc.nat(2), fc.nat(2)).map(([length, less, more]) => ({
      schema: {
        type: "array",
        items: schema,
        minItems: Math.max(0, length - less),
        maxItems: length + more,
      },
      value: Array.from({ length }, () => value),
    })),
  );
  const tuple = fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
    schema: { type: "array", prefixItems: items.map(({ schema }) => schema), items: false },
    value: items.map(({ value }) => value),
  }));
  return fc.oneof(alike, tuple);
}

function objectOf(value: Generated): Generated {
  return fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, value, fc.constantFrom("required", "present", "absent")), {
        maxLength: 4,
        selector: ([key]) => key,
      }),
      fc.option(fc.tuple(fc.stringMatching(/^[x-z ]{0,2}$/), value), { nil: undefined }),
    )
    .map(([members, further]) => ({
      schema: {
        type: "object",
        properties: Object.fromEntries(members.map(([key, { schema }]) => [key, schema])),
        required: members.filter(([, , kind]) => kind === "required").map(([key]) => key),
        additionalProperties: further === undefined ? false : further[1].schema,
      },
      value: Object.fromEntries([
        ...members
          .filter(([, , kind]) => kind !== "absent")
          .map(([key, member]) => [key, member.value]),
        ...(further === undefined ? [] : [[further[0], further[1].value]]),
      ]),
    }));
}

function combined(value: Generated): Generated {
  const either = fc.tuple(value, value, fc.boolean()).map(([one, other, isFirst]) => ({
    schema: { anyOf: [one.schema, other.schema] },
    value: isFirst ? one.value : other.value,
  }));
  const referring = value.map(({ schema, value: fitting }) => ({
    schema: { $ref: "#/$defs/it", $defs: { it: schema } },
    value: fitting,
  }));
  return fc.oneof(either, referring);
}

/** References stand only at the top, since they are looked up from there. */
export const schemaWithValue: Generated = fc
  .letrec<{ value: SchemaWithValue }>((tie) => {
    const inner = tie("value");
    return {
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.oneof(integer, number, string, patterned, listed, plain),
        listOf(inner),
        objectOf(inner),
        fc.tuple(inner, inner, fc.boolean()).map(([one, other, isFirst]) => ({
          schema: { anyOf: [one.schema, other.schema] },
          value: isFirst ? one.value : other.value,
        })),
      ),
    };
  })
  .value.chain((made) => fc.oneof(fc.constant(made), combined(fc.constant(made))));

/** Values near one that fits: one part of it is replaced. */
export function changed(value: unknown): fc.Arbitrary<unknown> {
  const anything = fc.oneof(json, fc.integer(), hundredth, text);
  if (Array.isArray(value) && value.length > 0) {
    const at = fc.nat(value.length - 1);
    return fc.oneof(
      anything,
      at.chain((index) => changed(value[index]).map((part) => value.with(index, part))),
      fc.constant([...value, value[0]]),
      fc.constant(value.slice(1)),
    );
  }
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    const members = Object.entries(value);
    return fc.oneof(
      anything,
      fc
        .constantFrom(...members)
        .chain(([key, member]) => changed(member).map((part) => ({ ...value, [key]: part }))),
      fc
        .constantFrom(...members)
        .map(([key]) => Object.fromEntries(members.filter(([other]) => other !== key))),
      fc.tuple(name, anything).map(([key, part]) => ({ ...value, [key]: part })),
    );
  }
  if (typeof value === "string")
    return fc.oneof(
      anything,
      text.map((more) => value + more),
    );
  if (typeof value === "number")
    return fc.oneof(
      anything,
      hundredth.map((more) => value + more),
    );
  return anything;
}

const keywords = [
  ...["type", "properties", "required", "additionalProperties", "propertyNames", "minProperties"],
  ...["maxProperties", "items", "prefixItems", "additionalItems", "minItems", "maxItems", "enum"],
  ...["const", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "multipleOf"],
  ...["exclusiveMinimum", "exclusiveMaximum", "anyOf", "oneOf", "allOf", "not", "if", "$ref"],
  ...["$defs", "nullable", "uniqueItems", "title", "__proto__", "constructor"],
];
const types = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** Anything that looks like a schema: right, wrong and absurd. */
export const anySchema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie("schema");
  const value = fc.oneof(
    { weight: 6, arbitrary: inner },
    { weight: 4, arbitrary: fc.array(inner, { maxLength: 3 }) },
    { weight: 3, arbitrary: fc.dictionary(name, inner, { maxKeys: 3 }) },
    { weight: 3, arbitrary: fc.array(name, { maxLength: 3 }) },
    { weight: 4, arbitrary: fc.constantFrom(...types) },
    {
      weight: 2,
      arbitrary: fc.constantFrom("#", "#/$defs/a", "#/properties/a", "#/anyOf/0", "date", "email"),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "^a*$",
        "(a|b)+",
        "[^x]{2,}",
        "(a*)*",
        "(",
        "\\p{L}",
        "^$",
        "$^",
        "[]",
      ),
    },
    {
      weight: 4,
      arbitrary: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double(), fc.maxSafeInteger()),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  );
  const member = fc.tuple(fc.constantFrom(...keywords), value);
  return {
    schema: fc.oneof(
      { depthSize: "small", maxDepth: 5 },
      fc.constantFrom<unknown>(...types.map((type) => ({ type })), {}, true, false),
      fc.array(member, { maxLength: 5 }).map((members) => Object.fromEntries(members)),
    ),
  };
}).schema;
