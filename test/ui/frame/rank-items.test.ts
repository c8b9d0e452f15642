// Tests that the best match for the typed text comes first.

import { expect, test } from "vitest";
import { rankItems } from "../../../source/ui/frame/rank-items.ts";
import type { ListItem } from "../../../source/ui/frame/screen.ts";

const items: ListItem[] = [
  { value: "quiet", title: "Show no counts", note: "/set quiet", names: ["set quiet"] },
  { value: "fork", title: "Go on in a copy of this chat", note: "/fork", names: ["fork"] },
  { value: "regenerate", title: "Answer the last question again", note: "/regenerate" },
  { value: "save", title: "Make a model of this one", note: "/save NAME", names: ["save"] },
  { value: "quit", title: "Quit", note: "/bye", names: ["bye", "leave"] },
  { value: "copy", title: "Copy the message", note: "y" },
  { value: "copyCode", title: "Copy its code", note: "c", isDim: true },
  { value: "log", title: "Show the log", note: "Console: l" },
  { value: "delete", title: "Delete the model", note: "Models: d", names: ["remove"] },
  { value: "pull", title: "Pull a model by its name", note: "/pull", names: ["pull", "download"] },
];

const found = (typed: string) => rankItems(items, typed).map(({ value }) => value);

test.each([
  ["quit", ["quit"]],
  ["/set quiet", ["quiet"]],
  ["copy", ["copy", "copyCode", "fork"]],
  ["log", ["log"]],
  ["delete model", ["delete"]],
  ["download", ["pull"]],
  ["remove", ["delete"]],
  ["model", ["save", "delete", "pull"]],
  // Scattered letters, where nothing else fits.
  ["rgnrt", ["regenerate"]],
  ["zzzz", []],
])("%j finds %j", (typed, expected) => {
  expect(found(typed)).toEqual(expected);
});

test("an empty query keeps the order", () => {
  expect(rankItems(items, " ")).toBe(items);
});
