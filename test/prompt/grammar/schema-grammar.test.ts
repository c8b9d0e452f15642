// JSON schemas as grammars in llama.cpp: valid texts are accepted, others rejected.
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

describe.each(Object.entries(schemaCases))("%s", (_, [schema, fitting, other]) => {
  it("accepts valid texts in any usual spacing, and rejects the rest", () => {
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

const deep = Array.from({ length: 100 }).reduce<object>(
  (schema) => ({ properties: { a: schema } }),
  {},
);
const wide = {
  properties: Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`p${n}`, {}])),
  required: Array.from({ length: 5_001 }, (_, n) => `p${n}`),
};
const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);

const unsupported: Record<string, [schema: unknown, place: string]> = {
  not: [{ properties: { a: { not: { type: "string" } } } }, "/properties/a/not"],
  if: [{ if: {}, else: false }, "/if"],
  contains: [{ type: "array", contains: { const: 1 } }, "/contains"],
  uniqueItems: [
    { properties: { tags: { type: "array", uniqueItems: true } } },
    "/properties/tags/uniqueItems",
  ],
  patternProperties: [{ patternProperties: { "^x": {} } }, "/patternProperties"],
  dependentRequired: [{ dependentRequired: { a: ["b"] } }, "/dependentRequired"],
  multipleOf: [{ items: { type: "integer", multipleOf: 7 } }, "/items/multipleOf"],
  "a look-ahead": [
    { properties: { a: { type: "string", pattern: "^(?=x)" } } },
    "/properties/a/pattern",
  ],
  "a back-reference": [{ pattern: "(a)\\1" }, "/pattern"],
  "a word boundary": [{ pattern: "\\bword" }, "/pattern"],
  "a pattern with a length": [{ pattern: "^(ab)*$", maxLength: 5 }, "/pattern"],
  "two patterns": [{ allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, "/pattern"],
  "a number of named properties": [
    { properties: { a: {}, b: {} }, minProperties: 1 },
    "/minProperties",
  ],
  "another document": [{ $ref: "https://example.org/schema.json" }, "/$ref"],
  "a value of too many levels": [{ enum: [nested(100_000)] }, "its top"],
  "a pattern of too many levels": [
    { pattern: `${"(".repeat(100)}a${")".repeat(100)}` },
    "/pattern: the pattern has more than 64 levels",
  ],
  "a pattern of repeated options": [
    { pattern: "^(a?){1500}a{1500}$" },
    "/pattern: the pattern has",
  ],
  "options written out": [{ pattern: `^${"a?".repeat(500)}b$` }, "/pattern: the pattern has"],
  "options before the same": [{ pattern: "^(a?){100}a{100}$" }, "/pattern: the pattern matches"],
  "adjacent repetitions": [{ pattern: `^${"a*".repeat(60)}b$` }, "/pattern: the pattern"],
  "blanks in two ways": [{ pattern: "^( |  ){60}$" }, "/pattern: the pattern matches one text"],
  "small repetitions in each other": [{ pattern: "^((a{1,9}){1,9}){1,9}$" }, "/pattern: the patt"],
  "many forms of one text": [
    { anyOf: words(251).map((_, index) => ({ type: "string", maxLength: index + 1 })) },
    "/anyOf: `anyOf` has 251",
  ],
  "repetitions in repetitions": [
    { pattern: "((a{0,30}){0,30}){0,30}" },
    "/pattern: the pattern has",
  ],
  "a pattern of too many alternatives": [
    { items: { pattern: words(1001).join("|") } },
    "/items/pattern: the pattern has more than 1000 alternatives",
  ],
  "a pattern that is too long": [
    { pattern: words(100_000).join("|") },
    "/pattern: the pattern has more than 10000 characters",
  ],
  "a value that is too long": [
    { properties: { a: { enum: ["a".repeat(5_000_000)] } } },
    "/properties/a/enum/0",
  ],
  "values that are too long together": [
    { enum: words(20).map((word) => word.repeat(3000)) },
    "/enum: the values of `enum` have more than 100000 characters",
  ],
  "a name that is too long": [{ properties: { ["a".repeat(2_000_000)]: {} } }, "/properties"],
  "large values that apply together with many others": [
    { enum: ["x", "a".repeat(90_000)], anyOf: words(50).map(() => ({ enum: ["x"] })) },
    "/anyOf/22/enum: it combines too many large values",
  ],
  "values that all begin differently": [
    { enum: words(401).map((_, n) => String.fromCodePoint(0x4e00 + n)) },
    "/enum: 401 of its alternatives begin differently",
  ],
  "words of a pattern that all begin differently": [
    {
      pattern: `(${words(401)
        .map((_, n) => String.fromCodePoint(0x4e00 + n))
        .join("|")})`,
    },
    "/pattern: 401 alternatives of the pattern begin differently",
  ],
  "alternatives that one text fits, with many values each": [
    {
      anyOf: words(12).map((word, n) => ({
        properties: {
          a: { pattern: `^[a-${"klmnopqrstuv"[n]}]*$` },
          b: { enum: words(350).map((_, k) => word + String.fromCodePoint(0x4e00 + k)) },
        },
        required: ["a", "b"],
      })),
    },
    "/anyOf: one text may fit 12 of its alternatives, and each may go on in up to 350 ways",
  ],
  "too many values": [{ enum: words(5001) }, "/enum: it is too large"],
  "too many alternatives": [
    { anyOf: words(1001).map((word) => ({ const: word })) },
    "/anyOf: `anyOf` has 1001",
  ],
  "too many properties that may be missing": [
    { properties: Object.fromEntries(words(1001).map((word) => [word, {}])) },
    "/properties: `properties` has 1001",
  ],
  "too many levels": [deep, "/properties/a/properties/a"],
  "too many parts": [wide, "its top"],
};

const invalid: Record<string, [schema: unknown, place: string]> = {
  "a text": ["string", "its top"],
  null: [null, "its top"],
  "a list": [[], "its top"],
  "an invalid property": [{ properties: { a: 3 } }, "/properties/a"],
  "properties in a list": [{ properties: [] }, "/properties"],
  "an unknown type": [{ items: { type: "strin" } }, "/items/type"],
  "required that is a flag": [{ type: "object", required: true }, "/required"],
  "an empty enum": [{ enum: [] }, "/enum"],
  "an empty anyOf": [{ anyOf: [] }, "/anyOf"],
  "a length that is a text": [{ type: "string", minLength: "1" }, "/minLength"],
  "a length below 0": [{ type: "string", maxLength: -1 }, "/maxLength"],
  "a bound that is a text": [{ type: "number", minimum: "0" }, "/minimum"],
  "an invalid pattern": [{ properties: { a: { pattern: "(" } } }, "/properties/a/pattern"],
  "a reference to nothing": [{ properties: { a: { $ref: "#/$defs/x" } } }, "/properties/a/$ref"],
  "a reference to something inherited": [{ $ref: "#/constructor" }, "/$ref"],
  "a reference to itself": [{ $ref: "#" }, "its top"],
  "references in a circle": [
    {
      $ref: "#/$defs/a",
      $defs: {
        a: { anyOf: [{ type: "null" }, { $ref: "#/$defs/b" }] },
        b: { $ref: "#/$defs/a" },
      },
    },
    "/$defs/",
  ],
  "no value at all": [{ type: "string", minLength: 3, maxLength: 2 }, "its top"],
  "no value of a required property": [{ properties: { a: false }, required: ["a"] }, "its top"],
  "types that exclude each other": [
    { allOf: [{ type: "string" }, { type: "integer" }] },
    "its top",
  ],
  "bounds that exclude each other": [{ type: "integer", minimum: 3, maximum: 2 }, "its top"],
};

describe("an unsupported schema", () => {
  it.each(Object.entries(unsupported))("is refused with its place: %s", (_, [schema, place]) => {
    expect(() => acceptsOf(schema)).toThrow(
      expect.objectContaining({
        code: "PROMPT_SCHEMA_UNSUPPORTED",
        status: 400,
        message: expect.stringContaining(`at ${place}`),
      }),
    );
  });

  it.each(Object.entries(invalid))(
    "is refused as invalid, with its place: %s",
    (_, [schema, place]) => {
      expect(() => acceptsOf(schema)).toThrow(
        expect.objectContaining({
          code: "PROMPT_SCHEMA_INVALID",
          status: 400,
          message: expect.stringContaining(`at ${place}`),
        }),
      );
    },
  );

  it("is never an ordinary one, because of its size", () => {
    const fits = (schema: unknown, text: string) => acceptsOf(schema)(JSON.stringify(text));
    expect(fits({ pattern: "^.{1,5000}$" }, "a".repeat(5000))).toBe(true);
    expect(fits({ pattern: "^(\\w{1,20}\\s){1,50}\\w+$" }, "a few words")).toBe(true);
    expect(fits({ pattern: "^([A-Z][a-z]{0,100} ){0,3}[A-Z][a-z]{0,100}$" }, "Ada Lovelace")).toBe(
      true,
    );
    expect(fits({ pattern: `^(${words(1000).join("|")})$` }, "w999")).toBe(true);
    expect(fits({ pattern: `^(${words(1000).join("|")})$` }, "w1000")).toBe(false);
    expect(fits({ pattern: "^(\\w+\\s?)+$" }, "a few words")).toBe(true);
    for (const [text, isIn] of [
      ["abd", true],
      ["abcd", true],
      ["acd", false],
    ] as const) {
      expect(fits({ pattern: "^(ab|abc|a)d$" }, text)).toBe(isIn);
    }
    expect(fits({ pattern: "^.*foo.*bar.*\\d.*$" }, "a foo and a bar, 2")).toBe(true);
    expect(fits({ pattern: "^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$" }, "ada@mail.example.org")).toBe(
      true,
    );
    expect(fits({ type: "string", maxLength: 2000 }, "a".repeat(2000))).toBe(true);
    const constants = { anyOf: words(1000).map((word) => ({ const: word, title: word })) };
    expect(fits(constants, "w999")).toBe(true);
    expect(fits(constants, "w1000")).toBe(false);
    const call = (name: string) => ({
      properties: {
        name: { const: name },
        ...Object.fromEntries(words(8).map((key) => [key, { type: "string", maxLength: 2000 }])),
      },
      required: ["name"],
    });
    const calls = acceptsOf({ anyOf: words(40).map(call) });
    expect(calls('{"name": "w39", "w0": "x", "w7": "y"}')).toBe(true);
    expect(calls('{"name": "w40"}')).toBe(false);
    const list = { type: "array", maxItems: 1000, items: { type: "integer" } };
    expect(acceptsOf(list)(JSON.stringify(Array(1000).fill(1)))).toBe(true);
    expect(fits({ type: "string", maxLength: 100_000 }, "a")).toBe(true);
    const cities = { enum: [...words(4000), "w1😀", "w1😁", "w12/😀"] };
    for (const city of ["w0", "w3999", "w1😁", "w12/😀"]) expect(fits(cities, city)).toBe(true);
    for (const other of ["w", "w4000", "w12/", "w1😂"]) expect(fits(cities, other)).toBe(false);
  });

  it("is supported in part on request", () => {
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
