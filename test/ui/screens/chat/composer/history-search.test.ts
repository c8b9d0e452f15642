// Tests that a few letters find an earlier message, and that cancelling changes nothing.
import { describe, expect, it } from "vitest";
import {
  emptySearch,
  foundEntry,
  type HistorySearchAction,
  reduceHistorySearch,
} from "../../../../../source/ui/screens/chat/composer/history-search.ts";

const history = ["plan the party", "write a poem", "Plan the release", "write a poem", "hello"];

function entryAfter(...actions: HistorySearchAction[]): string {
  const end = actions.reduce(
    (search, action) => reduceHistorySearch(search, action, history),
    emptySearch,
  );
  return foundEntry(end, history);
}

const type = (text: string): HistorySearchAction => ({ type: "type", text });

describe("searching the history", () => {
  it("shows the newest match, ignoring letter case", () => {
    expect(entryAfter(type("plan"))).toBe("Plan the release");
    expect(entryAfter(type("pl"), type("an the p"))).toBe("plan the party");
  });

  it("moves to older matches, skips repetitions, and moves back", () => {
    expect(entryAfter(type("write"), { type: "older" })).toBe("write a poem");
    expect(entryAfter(type("plan"), { type: "older" })).toBe("plan the party");
    expect(entryAfter(type("plan"), { type: "older" }, { type: "older" })).toBe("plan the party");
    expect(entryAfter(type("plan"), { type: "older" }, { type: "younger" })).toBe(
      "Plan the release",
    );
  });

  it("shows nothing without a match, and matches again after deleting letters", () => {
    expect(entryAfter(type("planx"))).toBe("");
    expect(entryAfter(type("planx"), { type: "deleteBackward" })).toBe("Plan the release");
    expect(entryAfter(type("p"), { type: "deleteBackward" })).toBe("");
  });

  it("steps through all entries without a query", () => {
    expect(entryAfter({ type: "older" })).toBe("hello");
    expect(entryAfter({ type: "older" }, { type: "older" })).toBe("write a poem");
  });
});
