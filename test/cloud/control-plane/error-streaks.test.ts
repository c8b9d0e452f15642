// Apps that only answer with errors.
import { expect, it } from "vitest";
import { ErrorStreaks } from "../../../source/cloud/control-plane/error-streaks.ts";

const chat = { organisation: "local", app: "chat" };
const answer = { ...chat, revision: "r1", replica: "one", status: 404, errorType: undefined };

it("five errors in a row count until an answer, or ten minutes later", () => {
  let now = 0;
  const streaks = new ErrorStreaks({ now: () => now, wallMs: () => now });
  const fail = (count: number, changes: object = {}) => {
    for (let index = 0; index < count; index += 1) streaks.note({ ...answer, ...changes });
  };
  fail(4);
  expect(streaks.reasonOf(chat, ["r1"])).toBeUndefined();
  // None of these are answers of the app.
  fail(9, { replica: undefined, status: 503, errorType: "startup_failed" });
  fail(9, { status: 499, errorType: "client_disconnected" });
  expect(streaks.reasonOf(chat, ["r1"])).toBeUndefined();
  fail(1, { status: 200, errorType: "runner_disconnected" });
  expect(streaks.reasonOf(chat, ["r1"])).toContain("Its last 5 answers were errors");
  expect(streaks.reasonOf(chat, ["r2"])).toBeUndefined();
  expect(streaks.reasonOf({ ...chat, app: "other" }, ["r1"])).toBeUndefined();
  fail(1, { status: 200 });
  expect(streaks.reasonOf(chat, ["r1"])).toBeUndefined();
  fail(5, { revision: "r2" });
  expect(streaks.reasonOf(chat, ["r2"])).toBeDefined();
  now = 600_001;
  expect(streaks.reasonOf(chat, ["r2"])).toBeUndefined();
});

it("errors of one revision count beside answers of the other, and name it", () => {
  const streaks = new ErrorStreaks({ now: () => 0, wallMs: () => 0 });
  for (let round = 0; round < 5; round += 1) {
    streaks.note({ ...answer, revision: "r2", status: 502 });
    streaks.note({ ...answer, status: 200 });
  }
  expect(streaks.reasonOf(chat, ["r1", "r2"])).toBe(
    "The last 5 answers of r2 were errors, the latest with status 502.",
  );
  // The split has ended.
  expect(streaks.reasonOf(chat, ["r1"])).toBeUndefined();
  for (let round = 0; round < 6; round += 1) streaks.note(answer);
  expect(streaks.reasonOf(chat, ["r1", "r2"])).toMatch(
    /^The last 6 answers of r1 .* 404\. The last 5 answers of r2 .* 502\.$/,
  );
});
