// Tests the list of steps: done, current and later ones, with script and draft below.
import { expect, test } from "vitest";
import { formatLocalTime } from "../../../../source/base/formats.ts";
import {
  StepsList,
  type StepsListProps,
} from "../../../../source/ui/screens/deploy/steps-list.tsx";
import { renderAt } from "../../support/render.tsx";

function linesOf(change: Partial<StepsListProps> = {}, isAscii?: boolean): string[] {
  const props = {
    step: "app",
    given: {},
    draftSavedAtMs: undefined,
    rows: 22,
    ...change,
  } as const;
  return renderAt(<StepsList {...props} />, { columns: 30, ...(isAscii && { isAscii }) }).lines();
}

test("marks finished steps and the current one", () => {
  const lines = linesOf();
  expect(lines).toHaveLength(22);
  expect(lines[0]).toBe("╭─ Deploy ──────────────╮");
  expect(lines.slice(1, 6)).toEqual([
    "│ ✓ 1 Source            │",
    "│ > 2 Name and access   │",
    "│   3 Review and launch │",
    "│                       │",
    "│ Advanced              │",
  ]);
});

test("marks the open advanced step, with the review still to come", () => {
  const lines = linesOf({ step: "scaling" });
  expect(lines).toContain("│ ✓ 2 Name and access   │");
  expect(lines).toContain("│   3 Review and launch │");
  expect(lines).toContain("│ > Scaling             │");
});

test("names the script without its folder, cut if long, and the time of the draft", () => {
  const savedAtMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  const given = { script: "far/away/deploy.py", target: "serve" };
  const lines = linesOf({ given, draftSavedAtMs: savedAtMs });
  expect(lines[15]).toBe("│ deploy.py::serve      │");
  expect(lines[16]).toBe("│ draft saved           │");
  expect(lines[17]).toContain(formatLocalTime(new Date(savedAtMs)).slice(11, 19));
  const long = linesOf({ given: { script: "a-very-long-name-of-a-script.py" } }, true);
  expect(long[15]).toBe("| a-very-long-name-of-~ |");
});

test("escapes control characters in the script's name", () => {
  expect(linesOf({ given: { script: "a\u001b[2Jb.py" } })[15]).toContain("a^[[2Jb.py");
});
