// Several callers share one run of work: joining, leaving, progress.
import { describe, expect, test } from "vitest";
import { SharedWork } from "../../source/base/shared-work.ts";

const left = () => new Error("left");

function setUp() {
  const shared = new SharedWork<string, number>();
  const runs: {
    signal: AbortSignal;
    report: (n: number) => void;
    finish: (s: string) => void;
    fail: (error: Error) => void;
  }[] = [];
  const join = (signal = new AbortController().signal, report: (n: number) => void = () => {}) =>
    shared.join("key", { signal, report, whenLeft: left }, async (inner, tell) => {
      const end = Promise.withResolvers<string>();
      inner.addEventListener("abort", () => end.reject(new Error("stopped")));
      runs.push({ signal: inner, report: tell, finish: end.resolve, fail: end.reject });
      return await end.promise;
    });
  return { runs, join };
}

describe("shared work", () => {
  test("is done once, and all callers get its result and progress", async () => {
    const { runs, join } = setUp();
    const [early, late]: [number[], number[]] = [[], []];
    const first = join(undefined, (n) => early.push(n));
    runs[0]?.report(1);
    const second = join(undefined, (n) => late.push(n));
    runs[0]?.report(2);
    runs[0]?.finish("done");
    expect(await Promise.all([first, second])).toEqual(["done", "done"]);
    expect([early, late]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(runs).toHaveLength(1);
  });

  test("continues when one of two callers leaves", async () => {
    const { runs, join } = setUp();
    const leaver = new AbortController();
    const first = join(leaver.signal);
    const second = join();
    leaver.abort();
    await expect(first).rejects.toThrow("left");
    expect(runs[0]?.signal.aborted).toBe(false);
    runs[0]?.finish("done");
    expect(await second).toBe("done");
  });

  test("stops when the last one leaves, and starts over for the next", async () => {
    const { runs, join } = setUp();
    const leavers = [new AbortController(), new AbortController()];
    const waiting = leavers.map(({ signal }) => join(signal));
    for (const leaver of leavers) leaver.abort();
    for (const result of await Promise.allSettled(waiting)) {
      expect(result).toMatchObject({ status: "rejected", reason: { message: "left" } });
    }
    expect(runs[0]?.signal.aborted).toBe(true);
    const again = join();
    runs[1]?.finish("done");
    expect(await again).toBe("done");
  });

  test("that fails fails for all callers, and may be retried", async () => {
    const { runs, join } = setUp();
    const both = [join(), join()];
    runs[0]?.fail(new Error("broken"));
    for (const result of await Promise.allSettled(both)) {
      expect(result).toMatchObject({ status: "rejected", reason: { message: "broken" } });
    }
    const again = join();
    runs[1]?.finish("done");
    expect(await again).toBe("done");
  });
});
