// The governor settles on the thread count that is measured best, and never takes busy cores.
import { describe, expect, it } from "vitest";
import type { SpareCores } from "../../../source/engine/text/spare-cores.ts";
import { ThreadGovernor } from "../../../source/engine/text/thread-governor.ts";

/** Plays steps with a cost for each thread count; returns what was chosen. */
function play(governor: ThreadGovernor, steps: number, costMs: (threads: number) => number) {
  return Array.from({ length: steps }, () => {
    const threads = governor.choose(1);
    governor.note(1, threads, costMs(threads));
    return threads;
  });
}

/** A machine with so many cores to spare. */
const spare = (cores: number): SpareCores => ({ count: () => cores, refresh: async () => {} });

const share = (chosen: number[], threads: number) =>
  chosen.filter((choice) => choice === threads).length / chosen.length;

describe("ThreadGovernor", () => {
  it("uses all threads where they are faster", () => {
    const chosen = play(new ThreadGovernor(4, spare(4)), 1000, (threads) => 40 / threads);
    expect(share(chosen.slice(100), 4)).toBeGreaterThan(0.95);
  });

  it("uses one where more are slower, and hardly ever tries again", () => {
    const chosen = play(new ThreadGovernor(2, spare(2)), 4000, (threads) =>
      threads === 1 ? 1 : 10,
    );
    expect(share(chosen.slice(10), 1)).toBeGreaterThan(0.99);
    expect(chosen.slice(10)).toContain(2);
  });

  it("does not try out fewer threads on a prompt that would wait for it", () => {
    const governor = new ThreadGovernor(2, spare(2));
    const chosen = Array.from({ length: 6 }, () => {
      const threads = governor.choose(64);
      governor.note(64, threads, threads === 2 ? 220 : 430);
      return threads;
    });
    expect(chosen).toEqual(Array(6).fill(2));
  });

  it("finds back when another program has left the cores", () => {
    let isBusy = true;
    const governor = new ThreadGovernor(2, spare(2));
    const cost = (threads: number) => (threads === 2 ? (isBusy ? 200 : 10) : 20);
    play(governor, 200, cost);
    isBusy = false;
    expect(share(play(governor, 20_000, cost).slice(-5000), 2)).toBeGreaterThan(0.9);
  });

  it("never uses more threads than there are idle cores", () => {
    const chosen = play(new ThreadGovernor(8, spare(3)), 500, (threads) => 1 / threads);
    expect(Math.max(...chosen)).toBeLessThanOrEqual(3);
    expect(play(new ThreadGovernor(8, spare(0)), 10, () => 1)).toEqual(Array(10).fill(1));
  });

  it("does not try again for eight streams what one stream has told", () => {
    const governor = new ThreadGovernor(2, spare(2));
    play(governor, 400, (threads) => 24 / threads);
    const chosen = Array.from({ length: 40 }, () => {
      const threads = governor.choose(8);
      governor.note(8, threads, 100 / threads);
      return threads;
    });
    expect(chosen).toEqual(Array(40).fill(2));
  });

  it("learns for prompts and for answers apart", () => {
    const governor = new ThreadGovernor(2, spare(2));
    for (let step = 0; step < 200; step += 1) {
      for (const tokens of [1, 64]) {
        const threads = governor.choose(tokens);
        const isFast = tokens === 64 ? threads === 2 : threads === 1;
        governor.note(tokens, threads, tokens * (isFast ? 1 : 3));
      }
    }
    expect([governor.choose(1), governor.choose(64)]).toEqual([1, 2]);
  });
});
