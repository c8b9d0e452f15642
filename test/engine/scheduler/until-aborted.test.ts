// Waits that end when a request is cancelled.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { untilAborted } from "../../../source/engine/scheduler/until-aborted.ts";

const cancelled = expect.objectContaining({ code: "ENGINE_CANCELLED" });

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
  await expect(untilAborted(Promise.resolve(5), signal)).resolves.toBe(5);
  await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
});

test("ends when the request is cancelled, and handles a promise that fails later", async () => {
  const unhandled = watchUnhandled();
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const waiting = untilAborted(late.promise, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toEqual(cancelled);
  late.reject(new Error("too late"));
  await nextTurn();
  expect(unhandled).toEqual([]);
});

test("handles the promise of a request that is cancelled already", async () => {
  const unhandled = watchUnhandled();
  const failed = Promise.reject(new Error("cancelled meanwhile"));
  await expect(untilAborted(failed, AbortSignal.abort())).rejects.toEqual(cancelled);
  await expect(untilAborted(Promise.resolve(5), AbortSignal.abort())).rejects.toEqual(cancelled);
  await nextTurn();
  expect(unhandled).toEqual([]);
});
