// Tests that an anchored view stays in place, that scrolling skips nothing, and that long transcripts cost
// no more than short ones. Uses numbered rows.

import { describe, expect, test } from "vitest";
import {
  followTail,
  reveal,
  scroll,
  type TranscriptRows,
  type Viewport,
  visibleWindow,
} from "../../../../../source/ui/screens/chat/transcript/transcript-window.ts";

interface TestTranscript extends TranscriptRows {
  readonly laidOut: Set<number>;
  /** The number of each entry's first row. */
  readonly starts: readonly number[];
}

/** Entries with these numbers of rows. */
function transcript(
  rowCounts: readonly number[],
  { width = 80, firstId = 0 } = {},
): TestTranscript {
  const starts: number[] = [];
  let total = 0;
  for (const count of rowCounts) {
    starts.push(total);
    total += count;
  }
  const laidOut = new Set<number>();
  return {
    width,
    count: rowCounts.length,
    laidOut,
    starts,
    idAt: (index) => firstId + index * 2,
    rowsOf: (index) => {
      laidOut.add(index);
      return rowCounts[index] ?? 0;
    },
    knownRowsOf: (index) => ({
      rows: laidOut.has(index) ? (rowCounts[index] ?? 0) : 1,
      isExact: laidOut.has(index),
    }),
  };
}

const height = 10;
const pageUp = { kind: "pages", delta: -1 } as const;
const pageDown = { kind: "pages", delta: 1 } as const;

/** Numbers of the visible rows, counted from the first row of all. */
function shown(viewport: Viewport, rows: TestTranscript): number[] {
  return visibleWindow(viewport, rows, height).entries.flatMap(({ index, from, to }) =>
    range((rows.starts[index] ?? 0) + from, to - from),
  );
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

describe("the end of the transcript", () => {
  test("is followed while it grows", () => {
    expect(shown(followTail, transcript([5, 20]))).toEqual(range(15, 10));
    expect(shown(followTail, transcript([5, 25]))).toEqual(range(20, 10));
  });

  test("is all of a short transcript, and keys do not leave it", () => {
    const short = transcript([3, 4]);
    expect(shown(followTail, short)).toEqual(range(0, 7));
    expect(scroll(followTail, pageUp, short, height)).toEqual(followTail);
    expect(scroll(followTail, pageUp, transcript([]), height)).toEqual(followTail);
    expect(shown(followTail, transcript([]))).toEqual([]);
  });
});

describe("a view that is scrolled back", () => {
  const before = transcript([5, 95]);
  const anchored = scroll(followTail, pageUp, before, height);

  test("stays when new rows arrive, and counts them", () => {
    expect(shown(anchored, before)).toEqual(range(82, 9));
    expect(visibleWindow(anchored, before, height)).toMatchObject({ belowRows: 9, newRows: 0 });
    const grown = transcript([5, 98, 4]);
    expect(shown(anchored, grown)).toEqual(range(82, 9));
    grown.rowsOf(2);
    expect(visibleWindow(anchored, grown, height)).toMatchObject({
      belowRows: 16,
      newRows: 7,
      isAbout: false,
    });
  });

  test("does not count rows that were scrolled into view", () => {
    const grown = transcript([5, 125]);
    const lower = scroll(anchored, pageDown, grown, height);
    const lowest = scroll(scroll(lower, pageDown, grown, height), pageDown, grown, height);
    const window = visibleWindow(lowest, grown, height);
    expect(window.newRows).toBe(window.belowRows);
    expect(window.newRows).toBeLessThan(30);
  });

  test("returns to the end", () => {
    expect(scroll(anchored, { kind: "tail" }, before, height)).toEqual(followTail);
    expect(scroll(anchored, { kind: "pages", delta: 3 }, before, height)).toEqual(followTail);
  });

  test("keeps its place in the text when the width changes and changes back", () => {
    expect(shown(anchored, transcript([10, 190], { width: 40 }))[0]).toBe(10 + 2 * 77);
    expect(shown(anchored, before)[0]).toBe(82);
  });

  test("returns to the end when its message is gone", () => {
    expect(shown(anchored, transcript([50], { firstId: 100 }))[0]).toBe(40);
  });
});

test("paging from top to end and back shows every row", () => {
  const rows = transcript([7, 30, 1, 44, 2, 2]);
  let viewport: Viewport = scroll(followTail, { kind: "top" }, rows, height);
  const down = new Set<number>();
  for (let page = 0; page < 30; page += 1) {
    for (const row of shown(viewport, rows)) down.add(row);
    if (viewport.kind === "tail") break;
    viewport = scroll(viewport, pageDown, rows, height);
  }
  expect(down.size).toBe(86);
  const up = new Set<number>();
  for (let page = 0; page < 30; page += 1) {
    for (const row of shown(viewport, rows)) up.add(row);
    viewport = scroll(viewport, pageUp, rows, height);
  }
  expect(up.size).toBe(86);
});

test("a message is revealed from its first row, and not moved if it is fully visible", () => {
  const rows = transcript([4, 30, 4, 3]);
  const second = reveal(followTail, 2, rows, height);
  expect(shown(second, rows)).toEqual(range(4, 9));
  expect(reveal(followTail, 6, rows, height)).toEqual(followTail);
  expect(reveal(followTail, 4, rows, height)).toEqual(followTail);
  expect(reveal(followTail, 99, rows, height)).toEqual(followTail);
});

test("of ten thousand messages only those near the visible rows are laid out", () => {
  const rows = transcript(Array.from({ length: 10_000 }, () => 5));
  visibleWindow(followTail, rows, height);
  expect(rows.laidOut.size).toBe(2);
  const top = scroll(followTail, { kind: "top" }, rows, height);
  const window = visibleWindow(top, rows, height);
  expect(rows.laidOut.size).toBeLessThan(8);
  expect(window.isAbout).toBe(true);
  expect(window.belowRows).toBeGreaterThan(9_000);
});
