// Settings that the engine gets under another name.
import path from "node:path";
import { expect, test } from "vitest";
import {
  engineSettings,
  promptHousekeeping,
} from "../../../source/application/local-server/engine-settings.ts";
import { loadSettings } from "../../../source/configuration/load-settings.ts";

const folders = { cache: path.resolve("/cache") };
const settings = (environment: Record<string, string>) => loadSettings({ environment }).values;
const week = 7 * 24 * 3_600_000;

test("prompts are stored in the cache folder for a week, with a budget that fits the disk", () => {
  expect(engineSettings(settings({}), folders).promptCache).toEqual({
    folder: path.resolve("/cache/prompts"),
    budgetBytes: undefined,
    maxAgeMs: week,
  });
});

test("budget and age can be set, also without limit", () => {
  const set = settings({ MODELCTL_PROMPT_CACHE: "1GiB", MODELCTL_PROMPT_CACHE_AGE: "-1" });
  expect(engineSettings(set, folders).promptCache).toMatchObject({
    budgetBytes: 2 ** 30,
    maxAgeMs: undefined,
  });
});

test.each([{ MODELCTL_PROMPT_CACHE: "0" }, { MODELCTL_NOHISTORY: "1" }])(
  "nothing is stored with %o",
  (environment) => {
    expect(engineSettings(settings(environment), folders).promptCache).toBeUndefined();
  },
);

test("a budget of zero removes what is stored", () => {
  const set = settings({ MODELCTL_PROMPT_CACHE: "0" });
  expect(promptHousekeeping(set, folders)).toMatchObject({ budgetBytes: 0 });
});
