// Tests that nothing is printed to the scrollback twice.
// Draws the component after changes of its state, and tests the list of printed entries alone.

import { expect, test } from "vitest";
import { Scrollback } from "../../../../source/ui/screens/chat/inline-chat.tsx";
import { PrintedEntries } from "../../../../source/ui/screens/chat/transcript/printed-entries.ts";
import { renderAt } from "../../support/render.tsx";
import { sampleEntries, sampleView } from "./sample-view.ts";

const columns = 40;

test("prints messages below each other with their speakers", () => {
  const chat = sampleView({ state: { entries: sampleEntries(2) } });
  const { lines } = renderAt(<Scrollback chat={chat} columns={columns} />, { columns });
  expect(lines().slice(0, 5)).toEqual([
    " you                              10:41",
    " question 0",
    "",
    " assistant                     61 tok/s",
    " answer 1",
  ]);
});

test("prints only what is new when a chat is shown again", () => {
  const chat = sampleView({ state: { entries: sampleEntries(2) } });
  const first = renderAt(<Scrollback chat={chat} columns={columns} />, { columns });
  expect(first.text()).toContain("answer 1");
  chat.store.update({ entries: sampleEntries(4) });
  const second = renderAt(<Scrollback chat={chat} columns={columns} />, { columns });
  expect(second.text()).toContain("answer 3");
  expect(second.text()).not.toContain("answer 1");
});

test("hides nothing when another conversation starts its numbers over", () => {
  const printed = new PrintedEntries();
  const [first, ...others] = sampleEntries(3);
  const count = (conversation: number, entries: ReturnType<typeof sampleEntries>) =>
    printed.take({ conversation, entries }).length;
  expect(count(0, sampleEntries(2))).toBe(2);
  expect(count(1, sampleEntries(2))).toBe(4);
  expect(count(1, sampleEntries(2))).toBe(4);
  // Stored messages come first, and a fork removes the end.
  expect(count(1, [{ kind: "notice", id: -1, text: "stored" }, ...sampleEntries(2)])).toBe(5);
  expect(count(1, first === undefined ? [] : [first])).toBe(5);
  expect(count(1, first === undefined ? [] : [first, ...others])).toBe(7);
});

test("returns the same array until there is more to print", () => {
  const printed = new PrintedEntries();
  const entries = sampleEntries(2);
  const before = printed.take({ conversation: 0, entries });
  expect(printed.take({ conversation: 0, entries: [...entries] })).toBe(before);
});
