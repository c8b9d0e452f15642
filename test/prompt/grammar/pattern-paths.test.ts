// Number of ways in which a pattern matches one token; too many are refused.
import { expect, test } from "vitest";
import { PathCounter } from "../../../source/prompt/grammar/pattern-paths.ts";
import { parsePattern } from "../../../source/prompt/grammar/pattern-syntax.ts";

test.each([
  ["^abc$", 1],
  ["^(\\d{1,3}\\.){3}\\d{1,3}$", 1],
  ["^a?a?a?$", 7],
  ["^[ab]*[bc]*$", 17],
  ["^-*a?-{0,40}$", 40],
  ["^( |  ){5}$", 93],
  ["^(a|aa)*$", 2584],
  ["^(a?){30}a{30}$", 174_437],
])("%s has %i", (pattern, count) => {
  expect(new PathCounter().count(parsePattern(pattern))).toBe(count);
});

test("sets that overlap in one of many ranges count together", () => {
  const count = (pattern: string) => new PathCounter().count(parsePattern(pattern));
  expect(count("^([a-cx]1|[d-fy]2|[g-iz]3)*$")).toBe(1);
  expect(count("^([a-cx]1|[d-fx]2|[g-iz]3)*$")).toBe(256);
});
