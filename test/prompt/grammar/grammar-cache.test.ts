// Grammars are written once for the same description.
import { expect, it } from "vitest";
import { cachedGrammar } from "../../../source/prompt/grammar/grammar-cache.ts";

function written(descriptions: readonly unknown[]): unknown[] {
  const found: unknown[] = [];
  for (const description of descriptions) {
    cachedGrammar(["test", description], () => {
      found.push(description);
      return `root ::= "${JSON.stringify(description)}"`;
    });
  }
  return found;
}

it("are written for each description once, equal objects being the same", () => {
  const descriptions = [{ name: "a" }, { name: "b" }, { name: "a" }, { name: "a" }];
  expect(written(descriptions)).toEqual([{ name: "a" }, { name: "b" }]);
});

it("are forgotten where many others were asked for since", () => {
  const others = Array.from({ length: 20 }, (_, index) => index);
  expect(written(["old", ...others, "old"])).toEqual(["old", ...others, "old"]);
  expect(written(["used", ...others.flatMap((other) => [`${other}, again`, "used"])])).toHaveLength(
    21,
  );
});

it("are not kept where writing one fails", () => {
  const fail = () => {
    throw new Error("no value fits it");
  };
  expect(() => cachedGrammar("failing", fail)).toThrow("no value fits it");
  expect(cachedGrammar("failing", () => 'root ::= "a"')).toBe('root ::= "a"');
});
