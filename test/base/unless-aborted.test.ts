// Waits that an abort signal ends.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { unlessAborted } from "../../source/base/unless-aborted.ts";

const reason = new Error("left");
const left = () => reason;

/** Returns the reasons of rejections that nobody handles, which end a process. */
function watchUnhandled(): unknown[] {
  const reasons: unknown[] = [];
  const note = (reason: unknown) => reasons.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => {
    process.off("unhandledRejection", note);
  });
  return reasons;
}

test("returns what the promise returns, and throws what it throws", async () => {
  const { signal } = new AbortController();
  await expect(unlessAborted(Promise.resolve(5), signal)).resolves.toBe(5);
  await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
});

test("ends with the abort, and handles a promise that fails later", async () => {
  const unhandled = watchUnhandled();
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const waiting = unlessAborted(late.promise, controller.signal, left);
  controller.abort();
  await expect(waiting).rejects.toBe(reason);
  late.reject(new Error("too late"));
  await nextTurn();
  expect(unhandled).toEqual([]);
});

test("handles the promise when the signal is aborted already", async () => {
  const unhandled = watchUnhandled();
  const failed = Promise.reject(new Error("cancelled meanwhile"));
  await expect(unlessAborted(failed, AbortSignal.abort(), left)).rejects.toBe(reason);
  await expect(unlessAborted(Promise.resolve(5), AbortSignal.abort("gone"))).rejects.toBe("gone");
  await nextTurn();
  expect(unhandled).toEqual([]);
});
