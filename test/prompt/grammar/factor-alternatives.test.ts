// Alternatives that begin alike: their beginnings are written once, and the same texts match.
import { beforeAll, expect, test } from "vitest";
import { GrammarRules, literal } from "../../../source/prompt/grammar/gbnf.ts";
import { schemaGrammar } from "../../../source/prompt/grammar/schema-grammar.ts";
import { type Accepts, grammarReader } from "./llama-grammar.ts";

let readGrammar: (grammar: string) => Accepts;
beforeAll(async () => {
  readGrammar = await grammarReader();
});

function eitherOf(alternatives: readonly string[]): string {
  const rules = new GrammarRules();
  return rules.text(rules.either(alternatives));
}

test.each([
  ["texts", ['"abc" "x"', '"abd" "y"'], 'r0 ::= "c" "x" | "d" "y"\nr1 ::= "ab" r0\n'],
  ["a text and its continuation", ['"a"', '"ab"'], 'r0 ::= "" | "b"\nr1 ::= "a" r0\n'],
  [
    "equal elements",
    ['[a-z]{2} ("x" | y)? "1"', '[a-z]{2} ("x" | y)? "2"'],
    '[a-z]{2} ( "x" | y)? r0',
  ],
  ["nothing", ['"abc"', '[a-z] "x"'], 'r0 ::= "abc" | [a-z] "x"\n'],
])("common to alternatives: %s", (_, alternatives, expected) => {
  expect(eitherOf(alternatives)).toContain(expected);
});

test("rules are entered only where they begin alike", () => {
  const rules = new GrammarRules();
  const [one, other] = [rules.add('"{" "a" "}"'), rules.add('"[" "b" "]"')];
  expect(rules.text(rules.either([one, other]))).toContain(`::= ${one} | ${other}\n`);
  const alike = rules.add('"{" "c" "}"');
  expect(rules.text(rules.either([one, alike, other]))).toContain(' ::= "{" r');
});

test("rules that begin with themselves are left alone", () => {
  const rules = new GrammarRules();
  const loop = rules.reserve();
  rules.define(loop, `${loop} "a" | ${loop} "b"`);
  expect(rules.either([loop, '"a"'])).toMatch(/^r\d+$/);
});

test("neither escapes nor pairs of surrogates are split", () => {
  const texts = ["\x01a", "\x02a", "\x1f", '\\"', "\\\\", '"', "😀", "😁", "\n", "n", "", "\\x01"];
  const accepts = readGrammar(eitherOf(texts.map(literal)));
  for (const text of texts) expect(accepts(text), JSON.stringify(text)).toBe(true);
  for (const text of ["\\", "\x01", "\x1fa", "a", "\\x0", "😂"]) {
    expect(accepts(text), JSON.stringify(text)).toBe(false);
  }
});

test("the objects of an anyOf share their first keys", () => {
  const objects = ["circle", "square", "sphere"].map((kind) => ({
    type: "object",
    properties: { kind: { const: kind }, [`${kind}Size`]: { type: "number" } },
    required: ["kind"],
  }));
  const rules = new GrammarRules();
  const text = rules.text(schemaGrammar(rules, { anyOf: objects }));
  const first = /"kind\\"" ":" " "\? "\\"" r\d+$/m;
  expect(text).toMatch(first);
  const accepts = readGrammar(text);
  expect(accepts('{"kind": "sphere", "sphereSize": 2}')).toBe(true);
  expect(accepts('{"kind": "square"}')).toBe(true);
  expect(accepts('{"kind": "sphere", "squareSize": 2}')).toBe(false);
});
