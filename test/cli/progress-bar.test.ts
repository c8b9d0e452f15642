// The line of a download: bar, sizes, rate, remaining time.
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { formatRemaining, ProgressBar } from "../../source/cli/progress-bar.ts";

const label = "pulling 74701a8c35f6";

/** Returns a bar with a manual clock. */
function makeBar() {
  let nowMs = 5000;
  const bar = new ProgressBar(label, { now: () => nowMs, wallMs: () => nowMs });
  return {
    bar,
    /** Moves the bar at an even pace, drawn ten times a second. */
    run(seconds: number, from: number, bytesPerSecond: number, total = 1_300_000_000) {
      for (let tenth = 0; tenth <= seconds * 10; tenth += 1) {
        bar.update(from + (tenth / 10) * bytesPerSecond, total);
        bar.text(72);
        if (tenth < seconds * 10) nowMs += 100;
      }
    },
  };
}

describe("a progress bar", () => {
  test("shows share, sizes, rate and time left", () => {
    const { bar, run } = makeBar();
    run(12, 272_000_000, 24_000_000);
    expect(bar.text(72)).toBe(
      "pulling 74701a8c35f6:  43% ▕████      ▏ 560 MB/1.3 GB   24 MB/s     31s",
    );
    expect(bar.plainText()).toBe("pulling 74701a8c35f6: 43% 560 MB/1.3 GB");
  });

  test("counts tokens", () => {
    let nowMs = 0;
    const bar = new ProgressBar("r-1f", { now: () => nowMs, wallMs: () => nowMs }, "tokens");
    bar.update(1024, 20_114);
    bar.text(80);
    nowMs += 2000;
    bar.update(1144, 20_114);
    expect(bar.text(90)).toMatch(
      /^r-1f: {3}5% ▕█ +▏ {3}1144\/20114 tokens {2}60 tokens\/s {3}5m16s$/,
    );
    expect(bar.plainText()).toBe("r-1f: 5% 1144/20114 tokens");
  });

  test("shows the total when done, without rate or time", () => {
    const { bar, run } = makeBar();
    run(2, 0, 650_000_000);
    expect(bar.isDone).toBe(true);
    expect(bar.text(72)).toBe("pulling 74701a8c35f6: 100% ▕██████████▏ 1.3 GB");
    expect(bar.plainText()).toBe("pulling 74701a8c35f6: 100% 1.3 GB");
  });

  test("does not count bytes from an earlier download", () => {
    const { bar } = makeBar();
    bar.update(900_000_000, 1_300_000_000);
    expect(bar.text(72)).toBe("pulling 74701a8c35f6:  69% ▕██████    ▏ 900 MB/1.3 GB");
  });

  test("measures the rate over the last ten seconds, and sees when nothing arrives", () => {
    const { bar, run } = makeBar();
    run(20, 0, 1_000_000);
    expect(bar.text(72)).toContain("  1 MB/s");
    run(12, 20_000_000, 50_000_000);
    expect(bar.text(72)).toContain(" 50 MB/s");
    run(12, 620_000_000, 0);
    expect(bar.text(72)).not.toContain("/s");
  });

  test("never goes backwards or past its end", () => {
    const { bar } = makeBar();
    bar.update(50, 100);
    bar.update(10, 100);
    expect(bar.percent).toBe(50);
    bar.update(1000, 100);
    expect(bar.percent).toBe(100);
    expect(bar.plainText()).toBe(`${label}: 100% 100 B`);
  });

  test("shows 100 % only when it is done", () => {
    const { bar } = makeBar();
    bar.update(999_999, 1_000_000);
    expect(bar.percent).toBe(99);
    expect(bar.isDone).toBe(false);
  });

  test("of zero bytes is done, and one of unknown size never", () => {
    const { bar } = makeBar();
    bar.update(0, 0);
    expect(bar.text(72)).toContain("100%");
    const unknown = makeBar();
    unknown.run(3, 0, 2_000_000);
    unknown.bar.update(8_000_000, undefined);
    expect(unknown.bar.isDone).toBe(false);
    expect(unknown.bar.text(72)).toMatch(/^pulling 74701a8c35f6: 8 MB\s+\d.* MB\/s$/);
  });

  test("is narrower than any terminal, and fills a wide one", () => {
    const { bar, run } = makeBar();
    run(12, 272_000_000, 24_000_000);
    for (let width = 1; width <= 300; width += 1) {
      const columns = stringWidth(bar.text(width));
      expect(columns).toBeLessThan(Math.max(width, 1));
      if (width > 70) expect(columns).toBe(width - 1);
    }
    expect(bar.text(60)).toBe("pulling 74701a8c35f6:  43% ▕██    ▏ 560 MB/1.3 GB   24 MB/s");
    expect(bar.text(50)).toBe("pulling 74701a8c35f6:  43% ▕██    ▏ 560 MB/1.3 GB");
    expect(bar.text(42)).toBe("pulling 74701a8c35f6:  43% 560 MB/1.3 GB");
    expect(bar.text(20)).toBe("pulling 74701a8c35…");
  });
});

describe("the time left", () => {
  test.each([
    [0, "0s"],
    [31_400, "31s"],
    [59_600, "1m0s"],
    [303_000, "5m3s"],
    [3_600_000, "1h0m"],
    [4_320_000, "1h12m"],
    [99.9 * 3_600_000, "99h54m"],
    [100 * 3_600_000, "99h+"],
    [Number.POSITIVE_INFINITY, "99h+"],
  ])("of %d ms is %s", (milliseconds, text) => {
    expect(formatRemaining(milliseconds)).toBe(text);
  });
});
