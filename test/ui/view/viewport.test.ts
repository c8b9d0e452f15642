// Goal: an anchored view stays where it is whatever happens below it, and scrolling skips nothing.
// Method: measures of transcripts without a screen.

import { describe, expect, test } from "vitest";
import {
  followTail,
  scroll,
  type TranscriptMeasure,
  type Viewport,
  visibleWindow,
} from "../../../source/ui/view/viewport.ts";

/** A transcript of entries with these numbers of rows. */
function transcript(rowCounts: readonly number[], width = 80): TranscriptMeasure {
  let startRow = 0;
  const entries = rowCounts.map((rowCount, entryId) => {
    const entry = { entryId, startRow, rowCount };
    startRow += rowCount;
    return entry;
  });
  return { width, totalRows: startRow, entries };
}

const height = 10;
const pageUp = { kind: "pages", delta: -1 } as const;
const pageDown = { kind: "pages", delta: 1 } as const;

describe("the tail", () => {
  test("is followed while the transcript grows", () => {
    expect(visibleWindow(followTail, transcript([5, 20]), height).topRow).toBe(15);
    expect(visibleWindow(followTail, transcript([5, 25]), height).topRow).toBe(20);
  });

  test("is all there is of a short transcript, and keys do not leave it", () => {
    const short = transcript([3, 4]);
    expect(visibleWindow(followTail, short, height)).toMatchObject({ topRow: 0, newRows: 0 });
    expect(scroll(followTail, pageUp, short, height)).toEqual(followTail);
    expect(scroll(followTail, pageUp, transcript([]), height)).toEqual(followTail);
  });
});

describe("an anchored view", () => {
  const before = transcript([5, 95]);
  const anchored = scroll(followTail, pageUp, before, height);

  test("stays when new rows come, and counts them", () => {
    const window = visibleWindow(anchored, before, height);
    expect(window).toEqual({ topRow: 82, rowCount: 9, belowRows: 9, newRows: 0 });
    const grown = visibleWindow(anchored, transcript([5, 98, 4]), height);
    expect(grown).toEqual({ topRow: 82, rowCount: 9, belowRows: 16, newRows: 7 });
  });

  test("does not count as new what has been scrolled into view", () => {
    const grown = transcript([5, 125]);
    const lower = scroll(anchored, pageDown, grown, height);
    const lowest = scroll(scroll(lower, pageDown, grown, height), pageDown, grown, height);
    const window = visibleWindow(lowest, grown, height);
    expect(window.newRows).toBe(window.belowRows);
    expect(window.newRows).toBeLessThan(30);
  });

  test("returns to the tail at the end", () => {
    expect(scroll(anchored, { kind: "tail" }, before, height)).toEqual(followTail);
    expect(scroll(anchored, { kind: "pages", delta: 3 }, before, height)).toEqual(followTail);
  });

  test("keeps its place in the text when the width changes and comes back", () => {
    const narrow = transcript([10, 190], 40);
    expect(visibleWindow(anchored, narrow, height).topRow).toBe(10 + 2 * 77);
    expect(visibleWindow(anchored, before, height).topRow).toBe(82);
  });

  test("whose entry is gone shows the tail", () => {
    expect(visibleWindow(anchored, transcript([50]), height).topRow).toBe(40);
  });
});

test("paging from top to tail shows every row", () => {
  const measure = transcript([7, 30, 1, 44]);
  let viewport: Viewport = scroll(followTail, { kind: "top" }, measure, height);
  const seen = new Set<number>();
  for (let page = 0; page < 20; page += 1) {
    const { topRow, rowCount } = visibleWindow(viewport, measure, height);
    for (let row = topRow; row < topRow + rowCount; row += 1) seen.add(row);
    if (viewport.kind === "tail") break;
    viewport = scroll(viewport, pageDown, measure, height);
  }
  expect(seen.size).toBe(measure.totalRows);
});
