// Tests the text of the steps for screen readers.
import { describe, expect, test } from "vitest";
import { spokenDeploy } from "../../../../source/ui/screens/deploy/deploy-speech.ts";
import type { StepId } from "../../../../source/ui/screens/deploy/deploy-state.ts";
import { checkStep, openStep } from "../../../../source/ui/screens/deploy/form-reducer.ts";
import { afterEvent, beginLaunch } from "../../../../source/ui/screens/deploy/launch.ts";
import { stateOf } from "./sample-answers.ts";

const open = (step: StepId, given = {}) => openStep(stateOf(step, given), step);
const said = (state: ReturnType<typeof open>) => spokenDeploy(state).finished;
const focus = (state: ReturnType<typeof open>) => spokenDeploy(state).live.join();

test("the step and its question come first, then the fields except the focused one", () => {
  const state = open("scaling", { maxConcurrency: "3" });
  const lines = said(state);
  expect(lines[0]).toBe("Advanced  Scaling: How many replicas should run?");
  expect(lines).toContain("Max replicas: 3");
  expect(lines.join("\n")).not.toContain("Preset:");
  expect(focus(state)).toBe(
    "Preset: Custom (options: Script defaults, Cheapest, Responsive, Bursty, Custom)",
  );
});

test("errors are printed with the names of their fields", () => {
  const state = checkStep(open("app", { name: "" }));
  expect(said(state)).toContain("Error in Name: The name is empty.");
  expect(focus(state)).toBe("Name: empty");
});

test("a step without fields is named", () => {
  expect(focus(open("review"))).toBe("Step 3 of 3  Review and launch");
});

describe("running work", () => {
  test("is printed without its time, so that it is not repeated at each change", () => {
    const start = { kind: "phase", phase: "start", sentence: "calling serve" } as const;
    const launch = afterEvent(beginLaunch(false, 0), { ...start, elapsedMs: 0 }, 10);
    const logged = afterEvent(launch, { kind: "log", text: "loading\u001b[2J" }, 20);
    const lines = said({ ...stateOf("launch"), launch: logged });
    expect(lines).toContain("start: calling serve");
    expect(lines).toContain("loading\u001b[2J");
    expect(said({ ...stateOf("launch"), launch: logged, nowMs: 900 })).toEqual(lines);
  });

  test("of the checks is printed when it has ended", () => {
    const ok = { subject: "server", kind: "ok", sentence: "ready" } as const;
    const checks = [
      { subject: "server", findings: [ok] },
      { subject: "python", findings: undefined },
    ];
    const text = said({ ...open("preflight"), checks }).join("\n");
    expect(text).toContain("server: ready");
    expect(text).not.toContain("python");
  });
});
