// Folders of the program, and errors of writing to the state folder.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { productPaths, writingState } from "../../source/configuration/paths.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

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

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

function told(state: string, work: () => void): unknown {
  try {
    writingState(state, work);
    return undefined;
  } catch (error) {
    return error;
  }
}

function refusal(state: string, reason: string) {
  return {
    code: "CONFIGURATION_STATE_UNWRITABLE",
    message: `The folder ${state}, for logs and the server's address, cannot be written: ${reason}.`,
    hint: expect.stringContaining("XDG_STATE_HOME"),
  };
}

test("a file in its place, or above it", () => {
  const file = path.join(folder, "file");
  writeFileSync(file, "");
  const reason = "it or a folder above it is a file";
  for (const state of [file, path.join(file, "modelctl")]) {
    const make = () => void mkdirSync(state, { recursive: true });
    expect(told(state, make)).toMatchObject(refusal(state, reason));
  }
});

test("a full disk", () => {
  // This device is always full.
  const write = () => writeFileSync("/dev/full", "a line");
  expect(told(folder, write)).toMatchObject(refusal(folder, "the disk is full"));
});

test("other errors stay unchanged", () => {
  const read = () => void readFileSync(path.join(folder, "missing"));
  expect(told(folder, read)).toMatchObject({ code: "ENOENT" });
});
