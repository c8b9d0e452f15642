// Recurring errors are logged once.
import { expect, it } from "vitest";
import { RecurringErrors } from "../../../source/cloud/control-plane/recurring-errors.ts";

it("logs an error once, and again when it changes or returns", () => {
  const log: string[] = [];
  let now = 0;
  const clock = { now: () => now, wallMs: () => now };
  const recurringErrors = new RecurringErrors((text) => log.push(text), clock);
  expect(recurringErrors.hasOpen).toBe(false);
  const full = new Error("the disk is full");
  for (; now < 100_000; now += 1000) {
    recurringErrors.report("chat", full);
    expect(recurringErrors.hasOpen).toBe(true);
  }
  recurringErrors.report("chat", new Error("no room"));
  recurringErrors.report("other", full);
  expect(log).toEqual(["chat: the disk is full", "chat: no room", "other: the disk is full"]);
  recurringErrors.resolve("chat");
  recurringErrors.report("chat", new Error("no room"));
  expect(log.at(-1)).toBe("chat: no room");
  expect(log).toHaveLength(4);
});

it("resolves an error that has not recurred", () => {
  let now = 0;
  const clock = { now: () => now, wallMs: () => now };
  const recurringErrors = new RecurringErrors(() => {}, clock);
  recurringErrors.report("a replica that is gone", new Error("full"));
  now = 60_000;
  expect(recurringErrors.hasOpen).toBe(true);
  now = 60_001;
  expect(recurringErrors.hasOpen).toBe(false);
});
