// Apps that only answer with errors.
import { expect, it } from "vitest";
import { ErrorStreaks } from "../../../source/cloud/control-plane/error-streaks.ts";

const chat = { organisation: "local", app: "chat" };
const answer = { ...chat, revision: "r1", replica: "one", status: 404, errorType: undefined };

it("five errors in a row count until an answer, another revision, or ten minutes later", () => {
  let now = 0;
  const streaks = new ErrorStreaks({ now: () => now, wallMs: () => now });
  const fail = (count: number, changes: object = {}) => {
    for (let index = 0; index < count; index += 1) streaks.note({ ...answer, ...changes });
  };
  fail(4);
  expect(streaks.reasonOf(chat, "r1")).toBeUndefined();
  // None of these are answers of the app.
  fail(9, { replica: undefined, status: 503, errorType: "startup_failed" });
  fail(9, { status: 499, errorType: "client_disconnected" });
  expect(streaks.reasonOf(chat, "r1")).toBeUndefined();
  fail(1, { status: 200, errorType: "runner_disconnected" });
  expect(streaks.reasonOf(chat, "r1")).toContain("Its last 5 answers were errors");
  expect(streaks.reasonOf(chat, "r2")).toBeUndefined();
  expect(streaks.reasonOf({ ...chat, app: "other" }, "r1")).toBeUndefined();
  fail(1, { status: 200 });
  expect(streaks.reasonOf(chat, "r1")).toBeUndefined();
  fail(5, { revision: "r2" });
  expect(streaks.reasonOf(chat, "r2")).toBeDefined();
  now = 600_001;
  expect(streaks.reasonOf(chat, "r2")).toBeUndefined();
});
