// Tests that drafts on disk are complete, private, and separate for each terminal.
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ScreenDrafts } from "../../../source/cli/cloud/screen-drafts.ts";

let folder: string;
let state: string;
/** Running programs. */
let running: Set<number>;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deploy-draft-"));
  state = path.join(folder, "state");
  running = new Set();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function terminal(processId: number): ScreenDrafts {
  running.add(processId);
  const isRunning = (id: number) => running.has(id);
  return new ScreenDrafts(state, { processId, isRunning });
}

const names = () => readdirSync(state);
const draftOf = (name: string) => ({ step: "app" as const, given: { name } });
async function namesSeenBy(drafts: ScreenDrafts) {
  return (await drafts.others()).drafts.map(({ given, isInUse }) => [given.name, isInUse]);
}

test("has no draft at first", async () => {
  expect(await terminal(1).others()).toEqual({ drafts: [], problems: [] });
});

test("reads a draft as it was written, for its owner only", async () => {
  const given = { script: "deploy.py", name: "chat", "variable:MODEL_NAME": "tiny" };
  await terminal(1).write({ step: "where", given });
  running.delete(1);
  const { drafts } = await terminal(2).others();
  expect(drafts).toMatchObject([{ step: "where", given, isInUse: false }]);
  expect(statSync(drafts[0]?.file ?? "").mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test("keeps the last of several drafts written at once, and no other file", async () => {
  const drafts = terminal(1);
  await Promise.all(["a", "b", "c", "d"].map((name) => drafts.write(draftOf(name))));
  expect(await namesSeenBy(terminal(2))).toEqual([["d", true]]);
  await drafts.remove();
  expect(names()).toEqual([]);
});

test("two terminals keep their own drafts, whoever writes last", async () => {
  const [first, second] = [terminal(1), terminal(2)];
  await first.write(draftOf("one"));
  await second.write(draftOf("two"));
  await first.write(draftOf("one more"));
  await second.remove();
  running.clear();
  expect(await namesSeenBy(terminal(3))).toEqual([["one more", false]]);
});

test("an abandoned draft is taken over by one terminal only", async () => {
  await terminal(1).write(draftOf("left"));
  running.delete(1);
  const [second, third] = [terminal(2), terminal(3)];
  const [left] = (await second.others()).drafts;
  const [seen] = (await third.others()).drafts;
  if (left === undefined || seen === undefined) throw new Error("the draft is not seen");
  expect(await second.take(left)).toBe(true);
  expect(await third.take(seen)).toBe(false);
  expect(await namesSeenBy(third)).toEqual([["left", true]]);
  expect(await namesSeenBy(second)).toEqual([]);
});

test("a draft in use by another terminal is copied", async () => {
  const [first, second] = [terminal(1), terminal(2)];
  await first.write(draftOf("shared"));
  await second.write(draftOf("own"));
  const [shared] = (await second.others()).drafts;
  if (shared === undefined) throw new Error("the draft is not seen");
  expect(await second.take(shared)).toBe(true);
  await second.write(draftOf("changed"));
  expect(await namesSeenBy(first)).toEqual(
    expect.arrayContaining([
      ["changed", true],
      ["own", true],
    ]),
  );
  expect(await namesSeenBy(second)).toEqual(
    expect.arrayContaining([
      ["shared", true],
      ["own", false],
    ]),
  );
});

test("an unreadable draft is set aside and named", async () => {
  await terminal(1).write(draftOf("chat"));
  const [name = ""] = names();
  writeFileSync(path.join(state, name), '{"version":1,"step":"na');
  const drafts = terminal(2);
  const { problems } = await drafts.others();
  expect(problems).toEqual([expect.stringContaining(`${name}.unreadable`)]);
  expect(await drafts.others()).toEqual({ drafts: [], problems: [] });
  expect(names()).toEqual([`${name}.unreadable`]);
});

/** Dates files back by a number of days. */
function letDaysPass(days: number, which: readonly string[] = names()): void {
  const then = new Date(Date.now() - days * 86_400_000);
  for (const name of which) utimesSync(path.join(state, name), then, then);
}

test("a draft unused for a month is removed, with other leftovers", async () => {
  for (const processId of [1, 2]) await terminal(processId).write(draftOf(`draft ${processId}`));
  const [first = "", second = ""] = names().toSorted();
  writeFileSync(path.join(state, `${first}.unreadable`), "{");
  writeFileSync(path.join(state, `${first}.00000000-0000-4000-8000-000000000000`), "{");
  writeFileSync(path.join(state, "deploy-draft-of-mine.json"), "{}");
  running.clear();
  letDaysPass(31);
  letDaysPass(29, [second]);
  expect(await namesSeenBy(terminal(3))).toEqual([["draft 2", false]]);
  expect(names().toSorted()).toEqual([second, "deploy-draft-of-mine.json"]);
});

test("an old draft in use is kept, and so is this terminal's", async () => {
  const [first, second] = [terminal(1), terminal(2)];
  await first.write(draftOf("open"));
  await second.write(draftOf("own"));
  letDaysPass(1000);
  expect(await namesSeenBy(second)).toEqual([["open", true]]);
  expect(await namesSeenBy(first)).toEqual([["own", true]]);
});

test("a resumed draft counts as new", async () => {
  await terminal(1).write(draftOf("left"));
  running.delete(1);
  letDaysPass(29);
  const second = terminal(2);
  const [left] = (await second.others()).drafts;
  if (left === undefined) throw new Error("the draft is not seen");
  expect(await second.take(left)).toBe(true);
  running.delete(2);
  const [kept] = (await terminal(3).others()).drafts;
  expect(kept?.savedAtMs).toBeGreaterThan(Date.now() - 86_400_000);
});
