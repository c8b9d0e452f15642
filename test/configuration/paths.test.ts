// Where the program keeps its files.
import { expect, test } from "vitest";
import { productPaths } from "../../source/configuration/paths.ts";

test("the state folder follows XDG_STATE_HOME, and has the program's name", () => {
  expect(productPaths({ XDG_STATE_HOME: "/elsewhere" }).state).toBe("/elsewhere/modelctl");
});

test("without variables everything is below the home folder", () => {
  const { configurationFile, data, state } = productPaths({});
  for (const file of [configurationFile, data, state]) {
    expect(file.startsWith(process.env.HOME ?? "?")).toBe(true);
    expect(file).toContain("modelctl");
  }
  expect(configurationFile.endsWith("config.toml")).toBe(true);
});
