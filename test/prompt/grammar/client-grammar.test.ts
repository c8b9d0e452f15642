// Grammars from clients: limits on size and ways, and renamed rules.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addClientGrammar } from "../../../source/prompt/grammar/client-grammar.ts";
import { GrammarRules } from "../../../source/prompt/grammar/gbnf.ts";

const examples = "node_modules/node-llama-cpp/llama/grammars";

function added(gbnf: string): string {
  const rules = new GrammarRules();
  return rules.text(addClientGrammar(rules, gbnf));
}

test("rules are renamed, and nothing else changes", () => {
  const gbnf = [
    "# root of all",
    'root ::= ("root \\"a\\"" | [a-z\\]] r0 <think> ){2,3} # root',
    "r0 ::= . root?",
  ].join("\n");
  expect(added(gbnf)).toBe(
    [
      "root ::= client-root",
      "# root of all",
      'client-root ::= ("root \\"a\\"" | [a-z\\]] client-r0 <think> ){2,3} # root',
      "client-r0 ::= . client-root?",
      "",
    ].join("\n"),
  );
});

test("words share their beginnings", () => {
  const gbnf =
    'root ::= "[" ("apple" | "apricot"\n | "b" # no more\n) ("a" | "b" "c" | "d" | "e"?) end\nend ::= "x" | "xy"';
  expect(added(gbnf)).toBe(
    [
      "root ::= client-root",
      'r0 ::= "ple" | "ricot"',
      'r1 ::= "ap" r0 | "b"',
      'r2 ::= "" | "y"',
      'r3 ::= "x" r2',
      'client-root ::= "[" (r1  # no more',
      ') ("a" | "b" "c" | "d" | "e"?) client-end',
      "client-end ::= r3 ",
      "",
    ].join("\n"),
  );
});

/** Rules that each refer to the next one, the last of them to "x". */
function chain(length: number, body: (next: string) => string): string {
  const names = ["root", ...Array.from({ length }, (_, index) => `r${index}`)];
  const rules = names.slice(1).map((next, index) => `${names[index]} ::= ${body(next)}`);
  return [...rules, `${names.at(-1)} ::= "x"`].join("\n");
}

const words = (count: number) =>
  Array.from({ length: count }, (_, index) => `"w${index}"`).join(" | ");

/** Words that all begin differently. */
const characters = (count: number) =>
  Array.from({ length: count }, (_, n) => `"${String.fromCodePoint(0x4e00 + n)}"`).join(" | ");

describe("refused for too many ways, naming the rule", () => {
  test.each<[string, string, string]>([
    ["optional parts, repeated", 'root ::= ("a"? ){100} "a"{100}', "root"],
    ["behind a long text", 'root ::= "z"{500} x\nx ::= ("a"?){100} "a"{100}', "x"],
    ["alternatives", `root ::= "a" word\nword ::= ${characters(600)}`, "root"],
    [
      "alternatives, multiplied",
      `root ::= ("a" x "1" | "a" x "2" | "a" x "3")\nx ::= ${characters(200)}`,
      "root",
    ],
    ["ambiguous recursion", 'root ::= "a" root "x" | "a" root "y" | "b"', "root"],
    ["optional parts after a recursion", 'root ::= "a" root "a"? | "b"', "root"],
    [
      "left recursion after an empty rule",
      'root ::= a root "a" | "b"\na ::= b\nb ::= "c" |',
      "root",
    ],
    ["a chain of equal alternatives", chain(40, (next) => `${next} | ${next}`), "r"],
    ["a chain of empty alternatives", chain(40, (next) => `| ${next} ${next}`), "r"],
  ])("%s", (_, gbnf, rule) => {
    const says = new RegExp(
      `^The grammar cannot be used: the rule ${rule}\\d* matches in too many`,
    );
    expect(() => added(gbnf)).toThrow(says);
  });
});

describe("accepted", () => {
  test.each<[string, string]>([
    ["words", `root ::= (${words(300)})+`],
    ["a thousand words", `root ::= ${words(1000)}`],
    ["bounded sentences", 'root ::= ([a-z]{1,1000} " "){1,50}'],
    ["words with optional spaces", 'root ::= ([a-z]+ " "?)+'],
    ["sums", 'root ::= sum\nsum ::= part ([+*/-] part)*\npart ::= [0-9]+ | "(" sum ")"'],
    ["lists in lists", 'root ::= "[" ws (root ("," ws root)*)? "]" ws\nws ::= [ \\n]*'],
    ["left recursion, which llama.cpp refuses", 'root ::= root "a" | "b"'],
    ["escapes and ranges", 'root ::= [^"\\\\\\x7F\\u00A0-\\U0001F600-] "\\n\\t" <think> !<think>'],
  ])("%s", (_, gbnf) => {
    expect(() => added(gbnf)).not.toThrow();
  });

  test.each(readdirSync(examples).filter((name) => name.endsWith(".gbnf")))(
    "llama.cpp's %s",
    (name) => {
      const gbnf = readFileSync(path.join(examples, name), "utf8");
      expect(() => added(gbnf)).not.toThrow();
    },
  );
});

describe("refused", () => {
  test.each<[string, string, RegExp]>([
    ["too many characters", `root ::= "${"a".repeat(70_000)}"`, /70\d+ characters/],
    ["no root", 'answer ::= "a"', /no rule named root/],
    ["a root in a comment alone", '# root ::= "a"\nanswer ::= "a"', /no rule named root/],
    ["brackets in brackets", `root ::= ${"(".repeat(5000)}`, /brackets are nested/],
    ["a long text, often", `root ::= "${"a".repeat(1000)}"{1000}`, /repetitions are too large/],
    [
      "a long text, with plus, often",
      `root ::= "${"a".repeat(1000)}"+{1000}`,
      /repetitions are too/,
    ],
    ["repetitions of repetitions", 'root ::= "a"{1000}{1000}{1000}', /repetitions are too large/],
    ["an absurd number", 'root ::= "a"{0,999999999999}', /repetitions are too large/],
  ])("%s", (_, gbnf, says) => {
    expect(() => added(gbnf)).toThrow(says);
    expect(() => added(gbnf)).toThrow(/^The grammar cannot be used/);
  });
});
