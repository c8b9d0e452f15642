// Tests that a poll repeats while it is on, and never runs twice at the same time.
import { expect, test } from "vitest";
import { Poll } from "../../../source/client/live/poll.ts";
import { until } from "../../support/until.ts";

test("repeats until it is stopped", async () => {
  let count = 0;
  const poll = new Poll(async () => {
    count += 1;
  }, 1);
  poll.start();
  await until(
    () => count,
    (times) => times >= 3,
  );
  poll.stop();
  await poll.now();
  const stopped = count;
  await new Promise((resolve) => setImmediate(resolve));
  expect(count).toBe(stopped);
});

test("a request during a read gets the result of the next one", async () => {
  let value = "old";
  const seen: string[] = [];
  const gates: Array<() => void> = [];
  const poll = new Poll(async () => {
    const read = value;
    await new Promise<void>((resolve) => gates.push(resolve));
    seen.push(read);
  }, 60_000);
  const first = poll.now();
  value = "new";
  const both = Promise.all([poll.now(), poll.now()]);
  gates.shift()?.();
  await until(
    () => gates.length,
    (waiting) => waiting === 1,
  );
  gates.shift()?.();
  await Promise.all([first, both]);
  expect(seen).toEqual(["old", "new"]);
});
