// Tests how the chat shares the rows and columns of a window.

import { expect, test } from "vitest";
import {
  conversationSize,
  transcriptWidth,
} from "../../../../source/ui/screens/chat/chat-layout.ts";

test.each([
  [
    { columns: 60, rows: 14 },
    { columns: 60, rows: 14 },
  ],
  [
    { columns: 100, rows: 28 },
    { columns: 100, rows: 27 },
  ],
  [
    { columns: 200, rows: 48 },
    { columns: 102, rows: 47 },
  ],
])("a window with %o leaves the conversation %o, a blank row above it", (body, room) => {
  expect(conversationSize(body, false)).toEqual(room);
});

test("figures in a line replace the blank row, figures in a pane are beside it", () => {
  expect(conversationSize({ columns: 90, rows: 22 }, true)).toEqual({ columns: 90, rows: 21 });
  expect(conversationSize({ columns: 120, rows: 38 }, true)).toEqual({ columns: 88, rows: 37 });
});

test("prose has at most 100 columns", () => {
  expect(transcriptWidth(conversationSize({ columns: 300, rows: 40 }, true).columns)).toBe(100);
});
