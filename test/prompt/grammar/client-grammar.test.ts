// A client's grammar is bounded before it is read, and does not get in the way of our own rules.
import { describe, expect, test } from "vitest";
import { addClientGrammar } from "../../../source/prompt/grammar/client-grammar.ts";
import { GrammarRules } from "../../../source/prompt/grammar/gbnf.ts";

function added(gbnf: string): string {
  const rules = new GrammarRules();
  return rules.text(addClientGrammar(rules, gbnf));
}

test("names of rules become others, and nothing else changes", () => {
  const gbnf = [
    "# root of all",
    'root ::= ("root \\"a\\"" | [a-z\\]] r0 <think> ){2,3} # root',
    "r0 ::= .+ root?",
  ].join("\n");
  expect(added(gbnf)).toBe(
    [
      "root ::= client-root",
      "# root of all",
      'client-root ::= ("root \\"a\\"" | [a-z\\]] client-r0 <think> ){2,3} # root',
      "client-r0 ::= .+ client-root?",
      "",
    ].join("\n"),
  );
});

describe("refused", () => {
  test.each<[string, string, RegExp]>([
    ["too many characters", `root ::= "${"a".repeat(70_000)}"`, /70\d+ characters/],
    ["no root", 'answer ::= "a"', /no rule named root/],
    ["a root in a comment alone", '# root ::= "a"\nanswer ::= "a"', /no rule named root/],
    ["brackets in brackets", `root ::= ${"(".repeat(5000)}`, /brackets are nested/],
    ["a long text, often", `root ::= "${"a".repeat(1000)}"{1000}`, /repetitions are too large/],
    ["an absurd number", 'root ::= "a"{0,999999999999}', /repetitions are too large/],
  ])("%s", (_, gbnf, says) => {
    expect(() => added(gbnf)).toThrow(says);
    expect(() => added(gbnf)).toThrow(/^The grammar cannot be used/);
  });
});
