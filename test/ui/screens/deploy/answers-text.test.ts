// Tests all answers as one text: what it contains, and how edits are read.
import { describe, expect, test } from "vitest";
import {
  readAnswers,
  secretMask,
  withoutProblems,
  withProblems,
  writeAnswers,
} from "../../../../source/ui/screens/deploy/answers-text.ts";
import { createDeployState } from "../../../../source/ui/screens/deploy/deploy-state.ts";
import { rules, stateOf } from "./sample-answers.ts";

const state = stateOf("app", { "variable:API_TOKEN": "hunter2", maxConcurrency: "3" });
const text = writeAnswers(state);

/** Replaces a line of the text. */
function changed(line: RegExp, now: string): string {
  expect(text).toMatch(line);
  return text.replace(line, now);
}

describe("the text", () => {
  test("has every answer under its flag's name, and no secrets", () => {
    for (const line of [
      "deploy = script",
      "script = deploy.py",
      "mode = deploy",
      "app-name = chat",
      "profile = local",
      "# private, shared, public",
      "auth = private",
      "env MODEL_NAME = tiny",
      `env API_TOKEN = ${secretMask}`,
      "max-concurrency = 3",
      "drain-timeout = 600s",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).not.toContain("hunter2");
  });

  test("that is unchanged changes nothing", () => {
    expect(readAnswers(text, state)).toEqual({
      given: state.given,
      changed: [],
      problems: [],
    });
  });

  test("of an unread script says that more will follow", () => {
    const written = writeAnswers(createDeployState(rules, { script: "deploy.py" }, "script"));
    expect(written).toContain("script = deploy.py");
    expect(written).not.toContain("max-concurrency");
    expect(written).toContain("once the script is read");
  });
});

describe("reading", () => {
  test.each([
    ["a setting", /max-concurrency = 3/, "max-concurrency=5", { maxConcurrency: "5" }],
    ["a choice", /auth = private/, "auth = shared", { auth: "shared" }],
    [
      "a variable",
      /env MODEL_NAME = tiny/,
      "env MODEL_NAME = a b",
      { "variable:MODEL_NAME": "a b" },
    ],
    ["a variable of one's own", /secrets =/, "env EXTRA = #1", { "variable:EXTRA": "#1" }],
    ["a new secret", /\*{8}/, "hunter3", { "variable:API_TOKEN": "hunter3" }],
    [
      "blanks that count",
      /MODEL_NAME = tiny/,
      'MODEL_NAME = " x "',
      { "variable:MODEL_NAME": " x " },
    ],
  ])("takes %s", (_what, line, now, given) => {
    const read = readAnswers(changed(line, now), state);
    expect(read.problems).toEqual([]);
    expect(read.given).toEqual({ ...state.given, ...given });
    expect(read.changed).toEqual(Object.keys(given));
  });

  test.each([
    ["is taken out", ""],
    ["has no value", "max-concurrency ="],
  ])("%s means the script's value", (_how, now) => {
    const { given } = readAnswers(changed(/max-concurrency = 3/, now), state);
    expect(given).not.toHaveProperty("maxConcurrency");
  });

  test.each([
    [/mode = deploy/, "nonsense", "Use name = value"],
    [/mode = deploy/, "moode = run", "Unknown name moode"],
    [/mode = deploy/, "maxConcurrency = 2", "Unknown name maxConcurrency"],
    [/mode = deploy/, "mode = perhaps", "Use one of deploy, run"],
    [/mode = deploy/, "mode = run\nmode = deploy", "set twice"],
    [/mode = deploy/, "env 1X = 2", "Unknown name env 1X"],
    [/mode = deploy/, 'mode = "run', "not valid JSON"],
  ])("reports what is wrong with %s as %j, and where", (line, now, sentence) => {
    const own = changed(line, now);
    const { problems } = readAnswers(own, state);
    expect(problems).toMatchObject([{ sentence: expect.stringContaining(sentence) }]);
    const wrong = now.split("\n").at(-1) ?? "";
    expect(own.split("\n")[(problems[0]?.line ?? 0) - 1]).toBe(wrong);
    const marked = withProblems(own, problems);
    expect(marked).toContain(`#! ${problems[0]?.sentence}\n${wrong}`);
    expect(withoutProblems(marked)).toBe(own);
  });
});
