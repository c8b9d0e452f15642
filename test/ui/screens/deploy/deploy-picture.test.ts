// What every step looks like: whole in its place at each size, with and without Unicode, and in words.
import { describe, expect, test } from "vitest";
import { plainText, rowWidth } from "../../../../source/ui/panes/styled-row.ts";
import { fieldAfterText } from "../../../../source/ui/panes/text-field.ts";
import { deployPicture } from "../../../../source/ui/screens/deploy/deploy-picture.ts";
import type { DeployState } from "../../../../source/ui/screens/deploy/deploy-state.ts";
import {
  checkStep,
  editField,
  openStep,
} from "../../../../source/ui/screens/deploy/form-reducer.ts";
import { afterEvent, beginLaunch } from "../../../../source/ui/screens/deploy/launch.ts";
import { spokenFooter, spokenLines } from "../../../../source/ui/screens/deploy/spoken-deploy.ts";
import { steps } from "../../../../source/ui/screens/deploy/steps.ts";
import { asciiGlyphs } from "../../../../source/ui/theme.ts";
import { appDetails, here, inspectionOf, rules, stateOf, view } from "./sample-answers.ts";

const sizes = [
  { columns: 60, rows: 14 },
  { columns: 80, rows: 22 },
  { columns: 120, rows: 38 },
];
const ascii = { ...view, glyphs: asciiGlyphs };

function launched(): DeployState["launch"] {
  const log = { kind: "log", text: "übergroße Zeile 漢字 \u001b[31m red" } as const;
  return afterEvent(beginLaunch(false, 0), log, 10);
}

/** Every step with everything read, and with the name of the app too long to be true. */
const everyStep = steps.map(({ id }) => {
  const long = "x".repeat(300);
  const finding = { subject: "gpu", kind: "fault", sentence: long, hint: long } as const;
  const config = rules.config(inspectionOf(), { scale: { maxConcurrency: 9 } });
  const checked = { findings: [finding], config, fileCount: 1, sizeBytes: 9, warnings: [long] };
  const known = {
    checked: here(checked),
    app: here(appDetails()),
    scripts: here([long, "b.py"]),
    apps: here([appDetails()]),
  };
  const state = { ...stateOf(id, { name: long }, known), launch: launched() };
  return checkStep(openStep(state, id, view), view);
});

describe("every step", () => {
  test.each(sizes)("fills $columns by $rows cells, and no more", (size) => {
    for (const state of everyStep) {
      const { rows, cursor } = deployPicture(state, size, view);
      expect(rows).toHaveLength(size.rows);
      expect([...new Set(rows.map(rowWidth))], state.step).toEqual([size.columns]);
      if (cursor === undefined) continue;
      expect(cursor.x).toBeLessThan(size.columns - 1);
      expect(cursor.y).toBeGreaterThan(0);
      expect(cursor.y).toBeLessThan(size.rows - 1);
    }
  });

  test("draws its own signs in ASCII where there is nothing else", () => {
    for (const state of everyStep.filter(({ step }) => step !== "launch")) {
      const text = deployPicture(state, { columns: 80, rows: 22 }, ascii)
        .rows.map(plainText)
        .join("");
      expect(text, state.step).toMatch(/^[ -~]*$/);
    }
  });

  test("is told in words, with its question first", () => {
    for (const state of everyStep) {
      const [first = ""] = spokenLines(state, view);
      expect(first).toMatch(/^Step \d+ of 13 .+: ./);
      expect(spokenFooter(state, view)[0]).not.toBe("");
    }
  });
});

test("a log cannot write on the terminal", () => {
  const state = { ...stateOf("launch"), launch: launched() };
  const text = deployPicture(state, { columns: 80, rows: 22 }, view).rows.map(plainText).join("\n");
  expect(text).toContain("␛[31m red");
  expect(text).not.toContain("\u001b");
});

test("the field that has the keys is in sight, however many there are", () => {
  const env_read = Array.from({ length: 40 }, (_, index) => ({ name: `VARIABLE_${index}` }));
  let state = stateOf("variables", {}, {}, inspectionOf({ env_read }));
  for (const focus of [0, 20, 39, 40]) {
    state = { ...state, focus };
    const { rows, cursor } = deployPicture(state, { columns: 80, rows: 22 }, view);
    const label = focus < 40 ? `VARIABLE_${focus} ` : "Another ";
    expect(plainText(rows[cursor?.y ?? 0] ?? [])).toContain(`> ${label}`);
  }
});

test("a secret is never in the picture nor in the words, while it is typed and after", () => {
  const opened = { ...openStep(stateOf("variables"), "variables", view), focus: 1 };
  const typed = editField(opened, (field) => fieldAfterText(field, "hunter2"), view);
  const size = { columns: 80, rows: 22 };
  for (const state of [typed, openStep(typed, "variables", view)]) {
    const said = [...spokenLines(state, view), ...spokenFooter(state, view)];
    const shown = [...deployPicture(state, size, view).rows.map(plainText), ...said].join("\n");
    expect(shown).not.toContain("hunter2");
    expect(shown).toContain("*******");
    expect(said).toContain("API_TOKEN: hidden");
  }
});
