// Schemas with values that they must accept and values that they must reject.

const integer = { type: "integer" };
const string = { type: "string" };
const nothing = { type: "null" };
const boolean = { type: "boolean" };
const date = { type: "string", format: "date" };
const tree = {
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: {
        value: { type: "integer" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
      required: ["value"],
    },
  },
};

/** Values that a schema must accept, and values that it must reject. */
export const schemaCases: Readonly<
  Record<string, [schema: unknown, fitting: unknown[], other: unknown[]]>
> = {
  anything: [{}, [1, "a", null, [], { a: { b: [true] } }], []],
  "anything, said as true": [true, [{ a: 1 }], []],
  "a type": [string, ["", 'é 🦊 \n " \\ /'], [1, null, ["a"]]],
  types: [{ type: ["integer", "null"] }, [1, -20, 0, null], [1.5, "a", true]],
  "a boolean": [boolean, [true, false], [0, "true"]],
  nullable: [{ type: "string", nullable: true }, ["a", null], [1]],
  const: [{ const: { a: [1, "x\n"] } }, [{ a: [1, "x\n"] }], [{ a: [1] }]],
  enum: [{ enum: ["red", 'gr"een', 3, null] }, ["red", 'gr"een', 3, null], ["re", 4, "null"]],
  "enum with a type": [{ type: "string", enum: ["a", 1] }, ["a"], [1]],
  "an object": [
    {
      type: "object",
      properties: { a: integer, b: string },
      required: ["a"],
    },
    [{ a: 1 }, { a: 1, b: "x" }],
    [{}, { b: "x" }, { b: "x", a: 1 }, { a: "1" }, { a: 1, c: 2 }],
  ],
  "an object of optional properties": [
    { properties: { a: nothing, b: nothing, c: nothing } },
    [
      {},
      { a: null },
      { b: null },
      { c: null },
      { a: null, c: null },
      { a: null, b: null, c: null },
    ],
    [{ c: null, a: null }, { d: null }, { a: 1 }],
  ],
  "required after optional": [
    { properties: { a: nothing, b: nothing }, required: ["b"] },
    [{ b: null }, { a: null, b: null }],
    [{}, { a: null }],
  ],
  "further properties": [
    {
      properties: { ab: integer },
      required: ["ab"],
      additionalProperties: string,
    },
    [{ ab: 1 }, { ab: 1, a: "x", abc: "y", "": "z" }],
    [
      { ab: 1, x: 2 },
      { ab: 1, ab2: 3 },
    ],
  ],
  "further properties of any kind": [
    { properties: { a: true }, additionalProperties: true },
    [{ a: 1, b: [2] }, { b: 1 }],
    [1],
  ],
  "a map": [
    {
      type: "object",
      additionalProperties: integer,
      minProperties: 1,
      maxProperties: 2,
    },
    [{ a: 1 }, { a: 1, b: 2 }],
    [{}, { a: 1, b: 2, c: 3 }, { a: "1" }],
  ],
  "a map with named keys": [
    {
      type: "object",
      propertyNames: { enum: ["a", "b"] },
      additionalProperties: integer,
    },
    [{}, { a: 1 }, { b: 2 }],
    [{ c: 1 }],
  ],
  "no properties": [
    { type: "object", properties: {}, additionalProperties: false },
    [{}],
    [{ a: 1 }],
  ],
  "a property that cannot be": [{ properties: { a: false, b: true } }, [{ b: 1 }], [{ a: 1 }]],
  "a required property that is not declared": [
    { type: "object", required: ["x"] },
    [{ x: 1 }, { x: 1, y: 2 }],
    [{}, { y: 2 }],
  ],
  "a list": [{ type: "array", items: integer }, [[], [1], [1, 2, 3]], [["a"], [1, "a"], {}]],
  "a list of a length": [
    { type: "array", items: integer, minItems: 2, maxItems: 3 },
    [
      [1, 2],
      [1, 2, 3],
    ],
    [[], [1], [1, 2, 3, 4]],
  ],
  "a list that has items": [{ type: "array", minItems: 1 }, [[1], ["a", []]], [[]]],
  "an empty list": [{ type: "array", maxItems: 0 }, [[]], [[1]]],
  "a tuple": [{ prefixItems: [integer, string] }, [[1, "a"]], [[1], ["a", 1], [1, "a", 2]]],
  "a tuple with a rest": [
    { prefixItems: [integer], items: string, minItems: 2, maxItems: 3 },
    [
      [1, "a"],
      [1, "a", "b"],
    ],
    [[1], [1, "a", "b", "c"], [1, 2]],
  ],
  "a tuple that may be short": [
    { prefixItems: [integer, string], minItems: 0 },
    [[], [1], [1, "a"]],
    [["a"]],
  ],
  "an old tuple": [
    { type: "array", items: [integer], additionalItems: string },
    [[1], [1, "a"]],
    [["a"]],
  ],
  "integers between bounds": [
    { type: "integer", minimum: -5, maximum: 12 },
    [-5, -1, 0, 9, 12],
    [-6, 13, 1.5],
  ],
  "integers above a bound": [{ type: "integer", exclusiveMinimum: 9 }, [10, 123456], [9, 0, -10]],
  "safe integers": [
    { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
    [9007199254740991, 0, -42],
    [9007199254740992],
  ],
  "bounds as in draft 4": [{ type: "integer", minimum: 1, exclusiveMinimum: true }, [2], [1]],
  "numbers between bounds": [
    { type: "number", minimum: 0.5, maximum: 1 },
    [0.5, 0.75, 1],
    [0.4999, 1.0001, 0, -0.75],
  ],
  "numbers between open bounds": [
    { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    [0.001, 0.999],
    [0, 1, -0.5],
  ],
  numbers: [{ type: "number" }, [0, -1.5, 1e21, 2.5e-7], ["1"]],
  "whole multiples": [{ type: "number", multipleOf: 1 }, [3], [3.5]],
  "amounts of money": [
    { type: "number", minimum: 0, multipleOf: 0.01 },
    [0, 1.25, 10.5],
    [1.255, -1],
  ],
  lengths: [{ type: "string", minLength: 2, maxLength: 3 }, ["ab", "🦊🦊🦊", "a\n"], ["a", "abcd"]],
  "great lengths": [
    { type: "string", minLength: 1500, maxLength: 2500 },
    ["x".repeat(1500), "x".repeat(2500)],
    ["x".repeat(1499), "x".repeat(2501)],
  ],
  "a pattern": [
    { type: "string", pattern: "^[A-Z]{2}-\\d+$" },
    ["AB-1", "XY-123"],
    ["A-1", "AB-", "xAB-1"],
  ],
  "a pattern without anchors": [{ pattern: "b+" }, ["b", "abbc"], ["ac", ""]],
  "a pattern with alternatives": [
    { pattern: "^(?:yes|no)$|^maybe" },
    ["yes", "no", "maybe not"],
    ["yesno", "may"],
  ],
  "a pattern with characters that JSON escapes": [
    { pattern: '^["\\\\\\n/]+$' },
    ['"', "\\", "\n/"],
    ["a"],
  ],
  "a pattern with negated classes": [
    { pattern: '^[^a-c"]\\S\\W$' },
    ["dx!", "\\é "],
    ["ax!", "d !", '"x!'],
  ],
  "a pattern and a length": [
    { pattern: "^[a-z]+$", minLength: 2, maxLength: 4 },
    ["ab", "abcd"],
    ["a", "abcde"],
  ],
  "a pattern that keeps the length": [{ pattern: "^a{2}b?$", maxLength: 3 }, ["aa", "aab"], ["a"]],
  dates: [date, ["2024-02-29", "1999-12-31"], ["2024-02-30", "2024-13-01", "24-1-1"]],
  times: [
    { type: "string", format: "time" },
    ["23:59:59Z", "00:00:00.5+02:00"],
    ["24:00:00Z", "12:00"],
  ],
  "dates with times": [
    { type: "string", format: "date-time" },
    ["2024-01-31T08:00:00Z"],
    ["2024-01-31"],
  ],
  "a uuid": [
    { type: "string", format: "uuid" },
    ["123e4567-e89b-12d3-a456-426614174000"],
    ["123e4567"],
  ],
  "an address": [{ type: "string", format: "email" }, ["a.b@example.org"], ["a@b", "@example.org"]],
  "a format that is only a note": [{ type: "string", format: "color" }, ["anything"], [1]],
  "a format for a pattern beyond us": [
    { type: "string", format: "email", pattern: "^(?!\\.)(?!.*\\.\\.)([a-z.]*)@x$" },
    ["a@b.cd"],
    ["x"],
  ],
  anyOf: [{ anyOf: [integer, { type: "array", items: string }] }, [1, ["a"]], ["a", [1]]],
  oneOf: [{ oneOf: [{ const: "a" }, { const: "b" }] }, ["a", "b"], ["c"]],
  "an enum beside anyOf, of which one alternative has nothing in common with it": [
    { enum: ["a", "b"], anyOf: [{ enum: ["b", "c"] }, { enum: ["d"] }] },
    ["b"],
    ["a", "c", "d"],
  ],
  "anyOf beside properties": [
    {
      type: "object",
      properties: { a: integer, b: integer },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{}],
  ],
  allOf: [
    {
      allOf: [
        { properties: { a: integer }, required: ["a"] },
        { properties: { b: string }, required: ["b"] },
      ],
    },
    [{ a: 1, b: "x" }],
    [{ a: 1 }, { b: "x" }],
  ],
  "allOf of bounds": [
    { type: "integer", allOf: [{ minimum: 3 }, { maximum: 5 }, { minimum: 4 }] },
    [4, 5],
    [3, 6],
  ],
  "allOf of enums and types": [
    { allOf: [{ enum: [1, "a", "b"] }, string, { enum: ["b", 1] }] },
    ["b"],
    ["a", 1],
  ],
  "allOf with one reference": [
    {
      $defs: { d: integer },
      properties: { a: { allOf: [{ $ref: "#/$defs/d" }], default: 1 } },
      required: ["a"],
    },
    [{ a: 1 }],
    [{ a: "1" }],
  ],
  "allOf that closes": [
    {
      allOf: [
        { properties: { a: true }, additionalProperties: false },
        { properties: { a: integer, b: true } },
      ],
    },
    [{}, { a: 1 }],
    [{ b: 1 }, { a: "x" }],
  ],
  "a reference with more beside it": [
    { $defs: { n: integer }, $ref: "#/$defs/n", minimum: 5 },
    [5, 6],
    [4],
  ],
  "a recursive schema": [
    tree,
    [{ value: 1 }, { value: 1, children: [{ value: 2, children: [] }, { value: 3 }] }],
    [{ value: 1, children: [{}] }, []],
  ],
  "a schema that refers to its top": [
    { type: "object", properties: { next: { $ref: "#" } } },
    [{}, { next: { next: {} } }],
    [{ next: 1 }],
  ],
  "references that refer to each other": [
    {
      $ref: "#/$defs/a",
      $defs: {
        a: { type: "array", items: { $ref: "#/$defs/b" } },
        b: { anyOf: [nothing, { $ref: "#/$defs/a" }] },
      },
    },
    [[], [null, [null, []]]],
    [null, [1]],
  ],
  "references with odd names": [
    { $ref: "#/definitions/a~1b%20c", definitions: { "a/b c": { const: 1 } } },
    [1],
    [2],
  ],
  "references to anchors": [
    { $ref: "#here", $defs: { x: { $anchor: "here", const: 1 } } },
    [1],
    [2],
  ],
  "names with quotes and line breaks": [
    { properties: { 'a"\n\\é': { const: 1 } }, required: ['a"\n\\é'] },
    [{ 'a"\n\\é': 1 }],
    [{ a: 1 }],
  ],
  "keywords that only describe": [
    {
      type: "integer",
      title: "t",
      description: "d",
      examples: [1],
      default: 2,
      $schema: "https://json-schema.org/draft/2020-12/schema",
      "x-order": 1,
    },
    [1],
    ["a"],
  ],
};
