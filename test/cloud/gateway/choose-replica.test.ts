// Choice of a replica: the least busy one, or the one with the conversation in its cache.
import { describe, expect, test } from "vitest";
import {
  type Candidate,
  chooseByAffinity,
  chooseLeastBusy,
} from "../../../source/cloud/gateway/choose-replica.ts";
import { warmUpLimit } from "../../../source/cloud/gateway/replica-slot.ts";
import { estimateWaitSeconds, longestQueue } from "../../../source/cloud/gateway/waiting-queue.ts";

function replicas(...counts: number[]): Candidate[] {
  return counts.map((inFlight, index) => {
    return { replica: `replica-${index}`, inFlight, lastUsedAt: undefined };
  });
}

test("chooses the replica with the fewest requests, on a tie the one used last", () => {
  expect(chooseLeastBusy([])).toBeUndefined();
  expect(chooseLeastBusy(replicas(3, 1, 2))?.replica).toBe("replica-1");
  const [first, second, third] = replicas(1, 1, 1).map((replica, index) => {
    return { ...replica, lastUsedAt: [5, 7, undefined][index] };
  });
  if (first === undefined || second === undefined || third === undefined) throw new Error("three");
  expect(chooseLeastBusy([first, second, third])).toBe(second);
  expect(chooseLeastBusy([third, second, first])).toBe(second);
});

describe("affinity", () => {
  const texts = Array.from({ length: 3000 }, (_, index) => `conversation ${index}`);
  const placesOf = (candidates: Candidate[]) =>
    texts.map((text) => chooseByAffinity(candidates, text)?.replica);

  test("spreads texts evenly", () => {
    const places = placesOf(replicas(0, 0, 0, 0, 0));
    const counts = [...Map.groupBy(places, (place) => place).values()].map(({ length }) => length);
    expect(counts.length).toBe(5);
    expect(Math.min(...counts)).toBeGreaterThan(500);
    expect(Math.max(...counts)).toBeLessThan(700);
  });

  test("moves only the texts of a removed replica", () => {
    const all = replicas(0, 0, 0, 0, 0);
    const before = placesOf(all);
    const after = placesOf(all.slice(0, 4));
    const moved = before.filter((place, index) => place !== after[index]);
    expect(new Set(moved)).toEqual(new Set(["replica-4"]));
  });

  test("falls back if its replica has a quarter more than the average", () => {
    const text = "conversation 7";
    const idle = replicas(0, 0, 0);
    const home = chooseByAffinity(idle, text);
    const load = (own: number) =>
      idle.map((each) => ({ ...each, inFlight: each.replica === home?.replica ? own : 8 }));
    expect(chooseByAffinity(load(10), text)?.replica).toBe(home?.replica);
    expect(chooseByAffinity(load(20), text)?.replica).not.toBe(home?.replica);
  });
});

test("the limit of a replica grows while it warms up", () => {
  expect([0, 249, 250, 500, 1250, 1500].map((ms) => warmUpLimit(ms, 64))).toEqual([
    ...[1, 1, 2, 4, 32, 64],
  ]);
  expect(warmUpLimit(0, 1)).toBe(1);
  expect(warmUpLimit(-20, 8)).toBe(1);
  // The replica became ready before the clock was set back.
  expect(warmUpLimit(-3_600_000, 8)).toBe(8);
  expect(warmUpLimit(1e12, 8)).toBe(8);
});

test("the queue limit follows the number of replicas, and the wait estimate past durations", () => {
  expect(longestQueue({ maxConcurrency: 1, maxMultiplexing: 1 })).toBe(100);
  expect(longestQueue({ maxConcurrency: 4, maxMultiplexing: 64 })).toBe(1024);
  expect(estimateWaitSeconds(100, 2000, 4)).toBe(50);
  expect(estimateWaitSeconds(1, 2, 4)).toBe(1);
  expect(estimateWaitSeconds(10_000, 60_000, 1)).toBe(600);
  expect(estimateWaitSeconds(5, undefined, 4)).toBe(estimateWaitSeconds(5, 100, 0));
});
