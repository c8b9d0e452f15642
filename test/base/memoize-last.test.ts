// The last result is remembered while the arguments are identical.

import { expect, test } from "vitest";
import { memoizeLast } from "../../source/base/memoize-last.ts";

test("the function is called once for the same arguments, and again for others", () => {
  const calls: string[] = [];
  const join = memoizeLast((one: readonly string[], mark: string) => {
    calls.push(mark);
    return one.join(mark);
  });
  const list = ["a", "b"];
  expect([join(list, "-"), join(list, "-"), join(list, "+")]).toEqual(["a-b", "a-b", "a+b"]);
  expect(calls).toEqual(["-", "+"]);
  // Equal content is not the same list.
  join(["a", "b"], "+");
  expect(calls).toEqual(["-", "+", "+"]);
});

test("a result of undefined is remembered too", () => {
  let calls = 0;
  const nothing = memoizeLast((_: number) => {
    calls += 1;
    return undefined;
  });
  nothing(1);
  nothing(1);
  expect(calls).toBe(1);
});
