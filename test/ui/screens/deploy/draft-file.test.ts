// The draft on disk: whole, for its owner alone, and without secrets.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DraftFile } from "../../../../source/ui/screens/deploy/draft-file.ts";
import { rules } from "./sample-answers.ts";

let folder: string;
let state: string;
let draft: DraftFile;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deploy-draft-"));
  state = path.join(folder, "state");
  draft = new DraftFile(state, rules.looksSecret);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => path.join(state, "deploy-draft.json");

test("there is none at first", async () => {
  expect(await draft.read()).toBeUndefined();
});

test("is read as it was written, for its owner alone", async () => {
  const given = { script: "deploy.py", name: "chat", "variable:MODEL_NAME": "tiny" };
  await draft.write({ step: "where", given });
  expect(await draft.read()).toEqual({ step: "where", given });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test("never holds a secret", async () => {
  const given = {
    script: "deploy.py",
    "variable:API_TOKEN": "hunter2",
    newVariable: "MY_KEY=hunter3",
  };
  await draft.write({ step: "variables", given });
  expect(readFileSync(file(), "utf8")).not.toContain("hunter");
  expect(await draft.read()).toEqual({ step: "variables", given: { script: "deploy.py" } });
});

test("is the last one of several that are written at once, and leaves nothing beside it", async () => {
  const names = ["a", "b", "c", "d"];
  await Promise.all(names.map((name) => draft.write({ step: "name", given: { name } })));
  expect(await draft.read()).toMatchObject({ given: { name: "d" } });
  await draft.remove();
  expect(readdirSync(state)).toEqual([]);
});

test("that cannot be read is set aside, and named", async () => {
  await draft.write({ step: "name", given: { name: "chat" } });
  writeFileSync(file(), '{"version":1,"step":"na');
  await expect(draft.read()).rejects.toThrow("deploy-draft.json.unreadable");
  expect(await draft.read()).toBeUndefined();
  expect(readdirSync(state)).toEqual(["deploy-draft.json.unreadable"]);
});
