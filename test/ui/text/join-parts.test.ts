// A line of parts leaves out those that are missing.

import { expect, test } from "vitest";
import { joinParts } from "../../../source/ui/text/join-parts.ts";

test("empty, undefined and false parts get no separator", () => {
  expect(joinParts(["a", "", undefined, false, "b"], " · ")).toBe("a · b");
  expect(joinParts([undefined], ", ")).toBe("");
});
