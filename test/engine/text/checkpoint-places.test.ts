// Pauses for checkpoints while a prompt is read.
import { describe, expect, test } from "vitest";
import { checkpointPlaces, messageBorders } from "../../../source/engine/text/checkpoint-places.ts";

test.each([
  ["a short prompt nowhere", 100, 0, [40], []],
  ["nowhere in a short new part of a long conversation", 5000, 4900, [10, 4950], []],
  ["near its end, for the same prompt once more", 200, 0, [], [196]],
  ["at the beginning of the last message, which may be replaced", 200, 0, [5, 60], [60, 196]],
  ["before its last tokens, if much is read", 1200, 0, [], [1136, 1196]],
  ["not twice in the same place", 1200, 0, [3, 1130], [1130, 1196]],
  [
    "at messages far enough from each other",
    2000,
    0,
    [400, 600, 800, 1500],
    [600, 1500, 1936, 1996],
  ],
  ["at regular distances without message borders", 4000, 0, [], [1024, 2048, 3936, 3996]],
  ["behind what is known alone", 3000, 2000, [900, 2100], [2100, 2936, 2996]],
])("%s", (_, length, known, borders, expected) => {
  expect(checkpointPlaces(length, known, borders)).toEqual(expected);
});

describe("messages end where the template continues", () => {
  const [start, end] = [1, 2];
  const isControl = (token: number) => token <= end;
  const text = (length: number) => Array.from({ length }, (_, index) => 10 + index);
  const message = (length: number) => [start, ...text(length + 2), end, ...text(1)];
  const header = [start, ...text(2)];

  test("a system prompt and an earlier question", () => {
    const tokens = [...message(20), ...message(30), ...message(10), ...header];
    expect(messageBorders(tokens, isControl)).toEqual([23, 58]);
  });

  test("a short question gets none", () => {
    expect(messageBorders([...message(300), ...message(4), ...header], isControl)).toEqual([303]);
  });

  test("a prompt of one message has none", () => {
    expect(messageBorders([...message(300), ...header], isControl)).toEqual([]);
  });
});
