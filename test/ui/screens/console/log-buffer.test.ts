// Tests that lines cost the same however many there are, and that a scrolled view stays in place.

import { describe, expect, test } from "vitest";
import { LogBuffer, readLogFilter } from "../../../../source/ui/screens/console/log-buffer.ts";
import { sampleLine } from "./sample-cloud.ts";

function viewOf(count: number, text = (index: number) => `line ${index}`): LogBuffer {
  const view = new LogBuffer();
  for (let index = 0; index < count; index += 1) {
    view.push(sampleLine({ seq: index, text: text(index) }));
  }
  return view;
}

function shown(view: LogBuffer, height = 3): string[] {
  return view.window(height).map(({ line }) => line.text);
}

describe("the visible lines", () => {
  test("are the newest until one scrolls, then stay while new ones are counted", () => {
    const view = viewOf(10);
    expect(shown(view)).toEqual(["line 7", "line 8", "line 9"]);
    view.scroll(-2, 3);
    expect(shown(view)).toEqual(["line 5", "line 6", "line 7"]);
    view.push(sampleLine({ text: "line 10" }));
    expect(shown(view)).toEqual(["line 5", "line 6", "line 7"]);
    expect(view).toMatchObject({ isFollowing: false, missed: 1 });
    view.scroll(2, 3);
    expect(shown(view)).toEqual(["line 7", "line 8", "line 9"]);
    view.scroll(1, 3);
    expect(view).toMatchObject({ isFollowing: true, missed: 0 });
    expect(shown(view)).toEqual(["line 8", "line 9", "line 10"]);
  });

  test("reach both ends and never go beyond", () => {
    const view = viewOf(10);
    view.scroll(Number.NEGATIVE_INFINITY, 3);
    expect(shown(view)).toEqual(["line 0", "line 1", "line 2"]);
    view.scroll(-5, 3);
    expect(shown(view)).toEqual(["line 0", "line 1", "line 2"]);
    view.scroll(Number.POSITIVE_INFINITY, 3);
    expect(view.isFollowing).toBe(true);
  });

  test("of a short log are all of them", () => {
    const view = viewOf(2);
    view.scroll(-1, 10);
    expect(shown(view, 10)).toEqual(["line 0", "line 1"]);
    expect(shown(new LogBuffer(), 10)).toEqual([]);
  });

  test("stay while the oldest are dropped, as long as they exist", () => {
    const view = viewOf(5000);
    view.scroll(-10, 3);
    const before = shown(view);
    for (let index = 0; index < 4900; index += 1) view.push(sampleLine({ text: "later" }));
    expect(shown(view)).toEqual(before);
    for (let index = 0; index < 2000; index += 1) view.push(sampleLine({ text: `late ${index}` }));
    // The lines in view were dropped: the oldest remaining ones replace them.
    expect(shown(view)).toEqual(["later", "later", "later"]);
    expect(view.isFollowing).toBe(false);
    view.follow();
    expect(shown(view)).toEqual(["late 1997", "late 1998", "late 1999"]);
  });
});

describe("filters", () => {
  test.each([
    ["error", "an Error happened", true],
    ["!error", "an Error happened", false],
    ["!", "anything", true],
    ["GET 200", "200 for GET /v1", true],
    ["GET 404", "200 for GET /v1", false],
  ])("%j and the text %j: %s", (filter, text, passes) => {
    expect(readLogFilter(filter)(sampleLine({ text }))).toBe(passes);
  });

  test.each([
    ["replica:aaaa", true],
    ["replica:zzz", false],
    ["!replica:aaaa", false],
    ["rev:r0002", true],
    ["rev:r0001", false],
    ["stream:stdout", true],
    ["stream:stderr", false],
  ])("%s: %s", (filter, passes) => {
    expect(readLogFilter(filter)(sampleLine())).toBe(passes);
  });

  test("are set one by one and cleared together", () => {
    const view = new LogBuffer();
    view.push(sampleLine({ text: "one", stream: "stderr" }));
    view.push(sampleLine({ text: "two", replica: "ccccdddd" }));
    view.push(sampleLine({ text: "three", stream: "event" }));
    view.nextStream();
    expect([view.filters.stream, shown(view)]).toEqual(["stderr", ["one"]]);
    view.setFilters({ replica: "ccccdddd" });
    expect(shown(view)).toEqual([]);
    expect(view.hasFilters).toBe(true);
    view.clearFilters();
    expect(shown(view)).toEqual(["one", "two", "three"]);
    expect(view.hasFilters).toBe(false);
    view.setFilters({ text: "t" });
    view.push(sampleLine({ text: "four" }));
    expect(shown(view)).toEqual(["two", "three"]);
  });
});

describe("a flood of lines", () => {
  test("of 2,000 a second for a minute keeps only the newest", () => {
    const view = viewOf(120_000);
    expect(view.keptCount).toBeLessThanOrEqual(6000);
    expect(view.keptCount).toBeGreaterThanOrEqual(5000);
    expect(shown(view)).toEqual(["line 119997", "line 119998", "line 119999"]);
  });
});

test("every change is announced and counted", () => {
  const view = new LogBuffer();
  let changes = 0;
  const stop = view.subscribe(() => {
    changes += 1;
  });
  view.push(sampleLine({ text: "one" }));
  view.push(sampleLine({ text: "two" }));
  view.setFilters({ text: "o" });
  view.nextStream();
  view.scroll(-1, 1);
  view.follow();
  view.clear();
  expect(view.get()).toBe(changes);
  expect(changes).toBe(7);
  stop();
  view.push(sampleLine());
  expect(changes).toBe(7);
});
