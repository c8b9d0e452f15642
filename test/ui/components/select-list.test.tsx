// Tests that a list shows the selected item with its group and note.

import { expect, test } from "vitest";
import { SelectList } from "../../../source/ui/components/select-list.tsx";
import type { ListItem } from "../../../source/ui/frame/screen.ts";
import { renderAt } from "../support/render.tsx";

const items: readonly ListItem[] = Array.from({ length: 20 }, (_, index) => ({
  value: String(index),
  title: `Item ${index}`,
  note: `Ctrl+${index}`,
  group: index < 10 ? "First" : "Second",
}));

function listOf(selected: number, isGrouped = false) {
  const props = { items, selected, isGrouped, height: 5, width: 30 };
  return <SelectList {...props} />;
}

test("the selected item is marked, notes are aligned right", () => {
  const lines = renderAt(listOf(1)).lines();
  expect(lines).toHaveLength(5);
  expect(lines[0]).toBe("  Item 0                Ctrl+0");
  expect(lines[1]).toBe("> Item 1                Ctrl+1");
});

test("the list scrolls only as far as the selection needs", () => {
  const { lines, rerender } = renderAt(listOf(0));
  rerender(listOf(6));
  expect(lines()[4]).toContain("> Item 6");
  rerender(listOf(4));
  expect(lines()[2]).toContain("> Item 4");
  rerender(listOf(1));
  expect(lines()[0]).toContain("> Item 1");
});

test("groups have titles, and the first item scrolls its title into view", () => {
  const { lines, rerender } = renderAt(listOf(12, true));
  expect(lines().some((line) => line.startsWith("Second"))).toBe(true);
  rerender(listOf(0, true));
  expect(lines()[0]).toBe("First");
  expect(lines()[1]).toContain("> Item 0");
});

test("long titles and notes share the width, and control characters are escaped", () => {
  const long = { value: "x", title: `${"t".repeat(40)}\u001b[2J`, note: "n".repeat(40) };
  const [line = ""] = renderAt(
    <SelectList items={[long]} selected={0} height={3} width={30} />,
  ).lines();
  expect(line).toBe(`> ${"t".repeat(8)}… ${"n".repeat(17)}…`);
});
