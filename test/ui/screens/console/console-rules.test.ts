// Goal: what is typed, counted and selected on the console means what a person expects.
// Method: the pure parts alone.

import { describe, expect, test } from "vitest";
import { defaultScale } from "../../../../source/cloud/app-config.ts";
import { shortAge, shownName } from "../../../../source/ui/screens/console/app-columns.ts";
import { FigureBook } from "../../../../source/ui/screens/console/app-figures.ts";
import {
  changePane,
  goBack,
  initialState,
  moveSelection,
  noteWork,
  selectedIndex,
  visibleFrom,
} from "../../../../source/ui/screens/console/console-state.ts";
import { lastUse } from "../../../../source/ui/screens/console/key-columns.ts";
import { rangeEffect, readRange } from "../../../../source/ui/screens/console/scale-range.ts";
import { sampleApp, sampleKey, sampleUsage } from "./sample-cloud.ts";

const scale = { ...defaultScale, minConcurrency: 1, maxConcurrency: 4 };

describe("a typed range", () => {
  test.each([
    ["0..2", { minConcurrency: 0, maxConcurrency: 2 }],
    [" 1 - 6 ", { minConcurrency: 1, maxConcurrency: 6 }],
    ["2 to 3", { minConcurrency: 2, maxConcurrency: 3 }],
    ["8", { minConcurrency: 1, maxConcurrency: 8 }],
  ])("%j is a change", (text, change) => {
    expect(readRange(text, scale)).toEqual({ kind: "range", change });
  });

  test.each(["", "many", "-1..2", "1...2", "0..0", "5..2", "1..99999", "0"])(
    "%j is told to be wrong",
    (text) => expect(readRange(text, scale)).toMatchObject({ kind: "wrong" }),
  );

  test("reset goes back to the script's", () => {
    expect(readRange(" RESET ", scale)).toEqual({ kind: "reset" });
  });

  test("is told what it means before it is set", () => {
    expect(rangeEffect({ minConcurrency: 0, maxConcurrency: 2 })).toBe(
      "No replica is kept while nobody asks, and at most 2 run.",
    );
    expect(rangeEffect({ minConcurrency: 2, maxConcurrency: 9 })).toMatch(
      /^2 are kept .* 9 run\.$/,
    );
  });
});

describe("figures", () => {
  test("are rates between readings, of the last seconds alone", () => {
    const book = new FigureBook();
    const take = (requests: number, errors: number, atMs: number) =>
      book.takeUsage([sampleUsage({ requests, errors, ttfbMsP95: 120 })], ["local/tiny"], atMs);
    take(100, 0, 0);
    expect(book.of("local/tiny").requestsPerSecond).toBeUndefined();
    take(150, 5, 10_000);
    expect(book.of("local/tiny")).toMatchObject({
      requestsPerSecond: 5,
      errorShare: 0.1,
      ttfbMsP95: 120,
    });
    take(150, 5, 20_000);
    take(150, 5, 30_000);
    expect(book.of("local/tiny")).toMatchObject({ requestsPerSecond: 0, errorShare: undefined });
  });

  test("begin anew where the sums do, as at the full hour", () => {
    const book = new FigureBook();
    book.takeUsage([sampleUsage({ requests: 500 })], ["local/tiny"], 0);
    book.takeUsage([sampleUsage({ requests: 4 })], ["local/tiny"], 2000);
    expect(book.of("local/tiny").requestsPerSecond).toBeUndefined();
    book.takeUsage([sampleUsage({ requests: 8 })], ["local/tiny"], 4000);
    expect(book.of("local/tiny").requestsPerSecond).toBe(2);
  });

  test("of an app that was asked nothing are nothing, and its first request counts", () => {
    const book = new FigureBook();
    book.takeUsage([], ["local/tiny"], 0);
    book.takeUsage([sampleUsage({ requests: 3 })], ["local/tiny"], 1000);
    expect(book.of("local/tiny").requestsPerSecond).toBe(3);
  });

  test("keep a minute of history, and nothing of an app that is gone", () => {
    const book = new FigureBook();
    for (let index = 0; index < 100; index += 1) book.takeApps([sampleApp({ inFlight: index })]);
    expect(book.of("local/tiny").inFlight).toHaveLength(60);
    expect(book.of("local/tiny").inFlight.at(-1)).toBe(99);
    book.takeApps([]);
    expect(book.of("local/tiny").inFlight).toEqual([]);
  });
});

describe("the selection", () => {
  test("stays with its item, and where that is gone with the place", () => {
    const chosen = moveSelection({ name: undefined, index: 0 }, ["a", "b", "c"], 1);
    expect(chosen).toEqual({ name: "b", index: 1 });
    expect(selectedIndex(chosen, ["0", "a", "b"])).toBe(2);
    expect(selectedIndex(chosen, ["a", "c"])).toBe(1);
    expect(selectedIndex(chosen, ["a"])).toBe(0);
    expect(selectedIndex(chosen, [])).toBe(-1);
  });

  test("stops at both ends", () => {
    const ends = [Number.NEGATIVE_INFINITY, -9, 9, Number.POSITIVE_INFINITY].map(
      (rows) => moveSelection({ name: "b", index: 1 }, ["a", "b", "c"], rows).name,
    );
    expect(ends).toEqual(["a", "a", "c", "c"]);
    expect(moveSelection({ name: undefined, index: 0 }, [], 1).name).toBeUndefined();
  });

  test("is always among the rows in sight", () => {
    for (let selected = 0; selected < 200; selected += 1) {
      const top = visibleFrom(selected, 200, 7);
      expect(selected).toBeGreaterThanOrEqual(top);
      expect(selected).toBeLessThan(top + 7);
    }
    expect(visibleFrom(0, 3, 7)).toBe(0);
  });
});

describe("the state", () => {
  test("goes around the panes both ways", () => {
    const walked: string[] = [];
    for (let state = changePane(initialState, 1); walked.length < 4; state = changePane(state, 1)) {
      walked.push(state.pane);
    }
    expect(walked).toEqual(["replicas", "keys", "logs", "apps"]);
    expect(changePane(initialState, -1).pane).toBe("logs");
  });

  test("goes back one level at a time", () => {
    let state: typeof initialState | undefined = {
      ...initialState,
      pane: "logs",
      isZoomed: true,
      filter: "x",
      details: { app: "local/tiny", top: 3 },
    };
    const seen: unknown[] = [];
    while (state !== undefined) {
      seen.push([state.details !== undefined, state.isZoomed, state.pane, state.filter]);
      state = goBack(state);
    }
    expect(seen).toEqual([
      [true, true, "logs", "x"],
      [false, true, "logs", "x"],
      [false, false, "logs", "x"],
      [false, false, "apps", "x"],
      [false, false, "apps", ""],
    ]);
  });

  test("notes what deployments are at until they end", () => {
    const begun = noteWork(noteWork(initialState, "a", "start"), "b", "build");
    expect(noteWork(begun, "a", undefined).works).toEqual({ b: "build" });
  });
});

test("names, ages and last uses are as short as can be", () => {
  expect(shownName(sampleApp(), "local")).toBe("tiny");
  expect(shownName(sampleApp(), "acme")).toBe("local/tiny");
  const ages = [0, 59, 60, 3600, 47 * 3600, 48 * 3600].map((seconds) => shortAge(seconds * 1000));
  expect(ages).toEqual(["0s", "59s", "1m", "1h", "47h", "2d"]);
  const key = sampleKey({ createdAt: 60_000, lastUsedAt: 0 });
  expect(lastUse(key, 120_000)).toBe("1m");
  expect(lastUse(sampleKey(), 0)).toBe("never");
});
