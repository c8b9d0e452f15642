import { expect, test } from "vitest";
import { cellWidth } from "../../source/cli/cell-width.ts";

test.each([
  ["", 0],
  ["tiny:latest", 11],
  ["模型", 4],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["\u001b[31mred\u001b[0m", 3],
])("%j takes %i columns", (text, columns) => {
  expect(cellWidth(text)).toBe(columns);
});
