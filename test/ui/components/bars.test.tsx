// Tests that gauges, progress bars and sparklines read the same without colours, and fit their width.

import { Text } from "ink";
import { describe, expect, test } from "vitest";
import { Gauge, ProgressBar, Sparkline, slotSquares } from "../../../source/ui/components/bars.tsx";
import { renderAt } from "../support/render.tsx";

describe("a gauge", () => {
  test.each([
    [0.55, "██████░░░░"],
    [0.8, "▓▓▓▓▓▓▓▓░░"],
    [0.95, "!!!!!!!!!!"],
    [7, "!!!!!!!!!!"],
  ])("of %d is %s", (share, expected) => {
    expect(renderAt(<Gauge share={share} width={10} />).text()).toBe(expected);
  });

  test.each([0, -1, Number.NaN])("of the invalid %d is blank", (share) => {
    expect(
      renderAt(<Gauge share={share} width={10} />)
        .text()
        .trim(),
    ).toBe("");
  });

  test("can be part of a row of text", () => {
    const row = (
      <Text>
        RAM <Gauge share={0.5} width={4} /> 1/2
      </Text>
    );
    expect(renderAt(row, { isAscii: true }).text()).toBe("RAM ##.. 1/2");
  });
});

test("slots are squares, busy ones first, if there is room", () => {
  expect(slotSquares(1, 4, 8)).toBe("■□□□");
  expect(slotSquares(9, 4, 8)).toBe("■■■■");
  expect(slotSquares(1, 40, 8)).toBe("");
});

test("a full progress bar is not coloured as a warning", () => {
  expect(renderAt(<ProgressBar fraction={1} width={5} />).text()).toBe("█████");
  expect(renderAt(<ProgressBar fraction={0.4} width={5} />).text()).toBe("██░░░");
});

describe("a sparkline", () => {
  test("shows the newest values, scaled to the largest", () => {
    expect(renderAt(<Sparkline values={[9, 0, 1, 2]} width={3} />).text()).toBe("▁▅█");
    expect(renderAt(<Sparkline values={[1]} width={3} />).text()).toBe("  █");
    expect(renderAt(<Sparkline values={[1, 2, 4, 8]} width={4} />).text()).toBe("▂▃▅█");
  });

  test("stays flat below its floor", () => {
    expect(renderAt(<Sparkline values={[0.01, 0.02]} width={2} floor={1} />).text()).toBe("▁▁");
    const spark = <Sparkline values={[0.01, 0, 0]} width={3} floor={1} />;
    expect(renderAt(spark, { isAscii: true }).text()).toBe("...");
  });

  test.each([[[]], [[0, 0, 0, 0]]])("of the invalid %j is blank", (values) => {
    const spark = (
      <Text>
        [<Sparkline values={values} width={3} />]
      </Text>
    );
    expect(renderAt(spark).text()).toBe("[   ]");
  });
});
