// JSON schemas as grammars, read by llama.cpp: what fits goes through, what does not is stopped.
import { beforeAll, describe, expect, it } from "vitest";
import { GrammarRules } from "../../../source/prompt/grammar/gbnf.ts";
import {
  type SchemaGrammarOptions,
  schemaGrammar,
} from "../../../source/prompt/grammar/schema-grammar.ts";
import { type Accepts, grammarReader } from "./llama-grammar.ts";
import { schemaCases } from "./schema-cases.ts";

let readGrammar: (grammar: string) => Accepts;
beforeAll(async () => {
  readGrammar = await grammarReader();
});

function acceptsOf(schema: unknown, options?: SchemaGrammarOptions): Accepts {
  const rules = new GrammarRules();
  return readGrammar(rules.text(schemaGrammar(rules, schema, options)));
}

describe.each(schemaCases)("%s", (_, schema, fitting, other) => {
  it("lets through what fits, in any usual spacing, and stops the rest", () => {
    const accepts = acceptsOf(schema);
    for (const value of fitting) {
      for (const indent of [undefined, 2, "\t"]) {
        const text = JSON.stringify(value, undefined, indent);
        expect(accepts(text), text.slice(0, 80)).toBe(true);
      }
    }
    for (const value of other) {
      const text = JSON.stringify(value);
      expect(accepts(text), text.slice(0, 80)).toBe(false);
    }
  });
});

describe("white space", () => {
  it("is bounded everywhere", () => {
    const accepts = acceptsOf({
      type: "object",
      properties: { a: { type: "array", items: { type: "integer" } } },
    });
    expect(accepts('{ "a": [ 1, 2 ] }')).toBe(true);
    expect(accepts(`{\n${" ".repeat(40)}"a": []}`)).toBe(true);
    for (const text of [
      '{  "a": []}',
      '{\n\n"a": []}',
      '{"a":  []}',
      '{"a": []} ',
      ' {"a": []}',
      '{"a": [1 , 2]}',
      `{\n${" ".repeat(41)}"a": []}`,
    ]) {
      expect(accepts(text), text).toBe(false);
    }
  });
});

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

describe("a schema that cannot be served", () => {
  const deep = Array.from({ length: 100 }).reduce<object>(
    (schema) => ({ properties: { a: schema } }),
    {},
  );
  const wide = {
    properties: Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`p${n}`, {}])),
  };

  it.each<[about: string, schema: unknown, place: string]>([
    ["not", { properties: { a: { not: { type: "string" } } } }, "/properties/a/not"],
    ["if", { if: {}, else: false }, "/if"],
    ["contains", { type: "array", contains: { const: 1 } }, "/contains"],
    [
      "uniqueItems",
      { properties: { tags: { type: "array", uniqueItems: true } } },
      "/properties/tags/uniqueItems",
    ],
    ["patternProperties", { patternProperties: { "^x": {} } }, "/patternProperties"],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, "/dependentRequired"],
    ["multipleOf", { items: { type: "integer", multipleOf: 7 } }, "/items/multipleOf"],
    [
      "a look-ahead",
      { properties: { a: { type: "string", pattern: "^(?=x)" } } },
      "/properties/a/pattern",
    ],
    ["a back-reference", { pattern: "(a)\\1" }, "/pattern"],
    ["a word boundary", { pattern: "\\bword" }, "/pattern"],
    ["a pattern with a length beside it", { pattern: "^(ab)*$", maxLength: 5 }, "/pattern"],
    ["two patterns", { allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, "/pattern"],
    [
      "a number of named properties",
      { properties: { a: {}, b: {} }, minProperties: 1 },
      "/minProperties",
    ],
    ["another document", { $ref: "https://example.org/schema.json" }, "/$ref"],
    ["a value of too many levels", { enum: [nested(100_000)] }, "its top"],
    [
      "a pattern of too many levels",
      { pattern: `${"(".repeat(5000)}a${")".repeat(5000)}` },
      "its top",
    ],
    ["too many levels", deep, "/properties/a/properties/a"],
    ["too many parts", wide, "its top"],
  ])("is refused with its place: %s", (_, schema, place) => {
    expect(() => acceptsOf(schema)).toThrow(
      expect.objectContaining({
        code: "PROMPT_SCHEMA_UNSUPPORTED",
        status: 400,
        message: expect.stringContaining(`at ${place}`),
      }),
    );
  });

  it.each<[about: string, schema: unknown, place: string]>([
    ["a text", "string", "its top"],
    ["null", null, "its top"],
    ["a list", [], "its top"],
    ["a property that is none", { properties: { a: 3 } }, "/properties/a"],
    ["properties in a list", { properties: [] }, "/properties"],
    ["an unknown type", { items: { type: "strin" } }, "/items/type"],
    ["required that is a flag", { type: "object", required: true }, "/required"],
    ["an empty enum", { enum: [] }, "/enum"],
    ["an empty anyOf", { anyOf: [] }, "/anyOf"],
    ["a length that is a text", { type: "string", minLength: "1" }, "/minLength"],
    ["a length below 0", { type: "string", maxLength: -1 }, "/maxLength"],
    ["a bound that is a text", { type: "number", minimum: "0" }, "/minimum"],
    ["a pattern that is none", { properties: { a: { pattern: "(" } } }, "/properties/a/pattern"],
    ["a reference to nothing", { properties: { a: { $ref: "#/$defs/x" } } }, "/properties/a/$ref"],
    ["a reference to something inherited", { $ref: "#/constructor" }, "/$ref"],
    ["a reference to itself", { $ref: "#" }, "its top"],
    [
      "references in a circle",
      {
        $ref: "#/$defs/a",
        $defs: {
          a: { anyOf: [{ type: "null" }, { $ref: "#/$defs/b" }] },
          b: { $ref: "#/$defs/a" },
        },
      },
      "/$defs/",
    ],
    ["no value at all", { type: "string", minLength: 3, maxLength: 2 }, "its top"],
    ["no value of a required property", { properties: { a: false }, required: ["a"] }, "its top"],
    [
      "types that exclude each other",
      { allOf: [{ type: "string" }, { type: "integer" }] },
      "its top",
    ],
    ["bounds that exclude each other", { type: "integer", minimum: 3, maximum: 2 }, "its top"],
  ])("is refused as wrong, with its place: %s", (_, schema, place) => {
    expect(() => acceptsOf(schema)).toThrow(
      expect.objectContaining({
        code: "PROMPT_SCHEMA_INVALID",
        status: 400,
        message: expect.stringContaining(`at ${place}`),
      }),
    );
  });

  it("is served as far as it goes where that is asked for", () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "array", items: { type: "integer" }, uniqueItems: true },
        b: { pattern: "^(?=x)" },
      },
      required: ["a"],
      not: {},
    };
    const accepts = acceptsOf(schema, { isLenient: true });
    expect(accepts('{"a": [1, 1], "b": "y"}')).toBe(true);
    expect(accepts('{"a": ["1"]}')).toBe(false);
  });
});
