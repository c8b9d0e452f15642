// Tests that every theme keeps meanings distinguishable, also without colour.

import { describe, expect, test } from "vitest";
import { Line } from "../../../source/ui/components/line.tsx";
import { themeNames, themes } from "../../../source/ui/frame/themes.ts";
import { renderAt } from "../support/render.tsx";

describe.each(themeNames)("the theme %s", (name) => {
  const theme = themes[name];

  test("distinguishes important text from plain text", () => {
    const plain = JSON.stringify(theme.plain);
    for (const tone of ["error", "warning", "title", "selected", "tab", "focus", "key"] as const) {
      expect(JSON.stringify(theme[tone])).not.toBe(plain);
    }
    expect(theme.selected).not.toEqual(theme.error);
  });

  test("defines every tone of the default theme", () => {
    expect(Object.keys(theme).sort()).toEqual(Object.keys(themes.default).sort());
  });
});

test("mono has no colour, high contrast nothing dim", () => {
  expect(Object.values(themes.mono).filter(({ color }) => color !== undefined)).toEqual([]);
  expect(
    Object.values(themes["high-contrast"]).filter(({ dimColor }) => dimColor === true),
  ).toEqual([]);
});

test("a line is drawn in one row, with control characters escaped", () => {
  const runs = [
    { text: "plain ", tone: "plain" },
    { text: "b\u001b]0;a\u0007d", tone: "error" },
    { text: "!\u200b", tone: "error" },
  ] as const;
  expect(renderAt(<Line runs={runs} />, { columns: 20 }).text()).toBe("plain b]0;ad!");
  expect(renderAt(<Line runs={runs} />, { columns: 8 }).text()).toBe("plain b…");
  expect(renderAt(<Line runs={[]} />, { columns: 20 }).lines()).toEqual([""]);
});
