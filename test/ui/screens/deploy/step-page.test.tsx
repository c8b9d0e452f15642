// Tests that every step fits at each size, with and without Unicode, and that no text writes control
// sequences. Uses an in-memory terminal where the cursor matters.

import { describe, expect, test } from "vitest";
import { textWidth } from "../../../../source/base/graphemes.ts";
import { fieldAfterText } from "../../../../source/ui/editor/line-field.ts";
import { DeployBody } from "../../../../source/ui/screens/deploy/deploy-screen.tsx";
import { spokenDeploy } from "../../../../source/ui/screens/deploy/deploy-speech.ts";
import type {
  DeployState,
  Facts,
  StepId,
} from "../../../../source/ui/screens/deploy/deploy-state.ts";
import {
  checkStep,
  editField,
  openStep,
} from "../../../../source/ui/screens/deploy/form-reducer.ts";
import { afterEvent, beginLaunch } from "../../../../source/ui/screens/deploy/launch.ts";
import { layoutPage } from "../../../../source/ui/screens/deploy/page-rows.tsx";
import { steps } from "../../../../source/ui/screens/deploy/steps.ts";
import { openTree, type RenderOptions, renderAt } from "../../support/render.tsx";
import { appDetails, inspectionOf, loaded, rules, stateOf } from "./sample-answers.ts";

const usual = { columns: 80, rows: 22 };
const sizes = [{ columns: 60, rows: 14 }, usual, { columns: 120, rows: 38 }];

function linesOf(state: DeployState, size = usual, options: RenderOptions = {}): string[] {
  const tree = <DeployBody state={state} size={size} />;
  return renderAt(tree, { columns: size.columns, ...options }).lines();
}

function launched(): DeployState["launch"] {
  const log = { kind: "log", text: "übergroße Zeile 漢字 \u001b[31m red" } as const;
  return afterEvent(beginLaunch(false, 0), log, 10);
}

/** Every step with all facts loaded, and with an app name that is too long. */
const everyStep = steps.map(({ id }) => {
  const long = "x".repeat(300);
  const finding = { subject: "gpu", kind: "fault", sentence: long, hint: long } as const;
  const config = rules.config(inspectionOf(), { scale: { maxConcurrency: 9 } });
  const checked = {
    ...{ findings: [finding], config, fileCount: 1, sizeBytes: 9, warnings: [long] },
    ...{ kept: [long], secrets: [long] },
  };
  const known = {
    checked: loaded(checked),
    app: loaded(appDetails()),
    scripts: loaded([long, "b.py"]),
    apps: loaded([appDetails()]),
  };
  const state = { ...stateOf(id, { name: long }, known), launch: launched() };
  return checkStep(openStep(state, id));
});

describe("every step", () => {
  test.each(sizes)("fills exactly $columns by $rows cells", (size) => {
    for (const state of everyStep) {
      const lines = linesOf(state, size);
      expect(lines, state.step).toHaveLength(size.rows);
      expect([...new Set(lines.map(textWidth))], state.step).toEqual([size.columns]);
    }
  });

  test("is drawn in ASCII if Unicode is unavailable", () => {
    for (const state of everyStep.filter(({ step }) => step !== "launch")) {
      const text = linesOf(state, usual, { isAscii: true }).join("");
      expect(text, state.step).toMatch(/^[ -~]*$/);
    }
  });

  test("is printed in words, with its question first", () => {
    for (const state of everyStep) {
      const { finished, live } = spokenDeploy(state);
      expect(finished[0]).toMatch(/^(Step \d of 3|Advanced) .+: ./);
      expect(live, state.step).toEqual([expect.stringMatching(/./)]);
    }
  });
});

test("a narrow window shows only the step, a wide one the list of steps too", () => {
  const state = openStep(stateOf("mode"), "mode");
  expect(linesOf(state, { columns: 99, rows: 14 })[0]).toMatch(/^╭─ Advanced {2}Run or deploy ─/);
  expect(linesOf(state, { columns: 100, rows: 14 })[0]).toMatch(
    /^╭─ Deploy ─+╮╭─ Advanced {2}Run or deploy ─/,
  );
});

test("a log cannot send control sequences", () => {
  const text = linesOf({ ...stateOf("launch"), launch: launched() }).join("\n");
  expect(text).toContain("^[[31m red");
  expect(text).not.toContain("\u001b");
});

test("the focused field is visible, however many there are", async () => {
  const env_read = Array.from({ length: 40 }, (_, index) => ({ name: `VARIABLE_${index}` }));
  const state = stateOf("variables", {}, {}, inspectionOf({ env_read }));
  for (const focus of [0, 20, 39, 40]) {
    const tree = <DeployBody state={{ ...state, focus }} size={usual} />;
    const screen = openTree(tree, usual.columns, usual.rows);
    const label = focus < 40 ? `VARIABLE_${focus} ` : "New variable ";
    await screen.until(`> ${label}`);
    expect(screen.lines[screen.cursor.y]).toContain(`> ${label}`);
  }
});

test("a secret is never shown on screen or to screen readers", () => {
  const opened = { ...openStep(stateOf("variables"), "variables"), focus: 1 };
  const typed = editField(opened, (field) => fieldAfterText(field, "hunter2"));
  for (const state of [typed, openStep(typed, "variables")]) {
    const { finished, live } = spokenDeploy(state);
    const said = [...finished, ...live];
    const shown = [...linesOf(state), ...said].join("\n");
    expect(shown).not.toContain("hunter2");
    expect(shown).toContain("*******");
    expect(said).toContain("API_TOKEN: hidden");
  }
});

describe("the bottom of the panel", () => {
  const command = "deployctl deploy deploy.py --app-name chat";

  test("has the equivalent command if all of it fits", () => {
    const lines = linesOf(openStep(stateOf("app"), "app"));
    expect(lines[19]).toContain("│ Equivalent command ");
    expect(lines[20]).toContain(`│   ${command} `);
    expect(lines[21]).toMatch(/^╰─+╯$/);
    const low = linesOf(openStep(stateOf("scaling"), "scaling"), {
      columns: 60,
      rows: 14,
    });
    expect(low.join("\n")).not.toContain("Equivalent command");
  });

  test("has no command before the script is read", () => {
    const known = { script: { kind: "loading" } } as const;
    const text = linesOf(openStep(stateOf("app", {}, known), "app")).join("\n");
    expect(text).not.toContain("Equivalent command");
  });

  test("has as many log lines as fit, and no heading without a line", () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
    const launch = afterEvent(beginLaunch(false, 0), { kind: "log", text }, 10);
    const state = { ...stateOf("launch"), launch };
    const lines = linesOf(state, { columns: 60, rows: 10 });
    expect(lines.slice(5, 9).map((row) => row.replaceAll("│", "").trim())).toEqual([
      "Log (Ctrl+O opens it all)",
      "line 37",
      "line 38",
      "line 39",
    ]);
    expect(linesOf(state, { columns: 60, rows: 7 }).join("\n")).not.toContain("Log (");
  });
});

describe("states of a page", () => {
  const page = (step: StepId, known: Partial<Facts>, change: Partial<DeployState> = {}) =>
    linesOf({ ...openStep(stateOf(step, {}, known), step), ...change }).join("\n");
  const failed = { kind: "failed", sentence: "No server answers." } as const;
  const loading = { kind: "loading" } as const;

  test("loading, empty and failed are shown in words", () => {
    expect(page("where", { targets: loading })).toContain("Loading servers");
    expect(page("where", { targets: failed })).toContain("No server answers.");
    expect(page("app", { apps: loading })).toContain("Checking which names are taken");
    expect(page("app", { apps: failed })).toContain("! No server answers.");
    expect(page("variables", { script: loading })).toContain("Reading deploy.py");
    expect(page("preflight", { checked: failed })).toContain("✗ No server answers.");
    expect(page("script", { scripts: loaded([]) }, { given: {} })).toContain("No script to deploy");
    expect(page("launch", {})).toContain("Nothing launched yet");
  });

  test("checks have a symbol and a word each, with hints below", () => {
    const checks = [
      {
        subject: "gpu",
        findings: [{ subject: "gpu", kind: "fault", sentence: "none", hint: "Use any." }],
      },
      { subject: "python", findings: undefined },
    ] as const;
    const text = page("preflight", { checked: loading }, { checks });
    expect(text).toMatch(/✗ fault {3}gpu: none +│\n.*│ {11}Use any\./);
    expect(text).toContain("◐ running python");
  });

  test("an error of a field is below it, one of the step below all fields", () => {
    const faults = { minConcurrency: "Use a whole number.", "": "Too many." };
    const text = page("scaling", {}, { faults });
    expect(text).toMatch(/Min replicas.*\n.*│ {3}✗ Use a whole number\./);
    expect(text).toMatch(/\n.*│ ✗ Too many\./);
  });

  test("a page that is too long scrolls to its end and says that there is more", () => {
    const size = { columns: 60, rows: 14 };
    const state = openStep(stateOf("scaling"), "scaling");
    expect(linesOf(state, size).at(-1)).toContain("PgDn ↓");
    const { lastScroll } = layoutPage(state, size);
    const end = linesOf({ ...state, scroll: lastScroll }, size);
    expect(end.at(-1)).not.toContain("PgDn");
    expect(end.at(-2)).toContain("replicas or concurrency.");
    expect(linesOf({ ...state, scroll: lastScroll + 5 }, size)).toEqual(end);
  });
});
