// Autoscaling decisions, as tables of demand and result.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultScale, type ScaleSettings } from "../../../source/cloud/app-config.ts";
import {
  decide,
  type ScaledReplica,
  type ScaleSituation,
  wantedReplicas,
} from "../../../source/cloud/autoscaler/decide.ts";

const now = 1_000_000;
const full = { ...defaultScale, targetUtilization: 1 };

function replica(name: string, change: Partial<ScaledReplica> = {}): ScaledReplica {
  return { replica: name, isReady: true, inFlight: 0, idleSince: now, wasUsed: true, ...change };
}

function situation(change: Partial<ScaleSituation>): ScaleSituation {
  return {
    now,
    scale: defaultScale,
    demand: { busy: 0, queued: 0, oldestQueuedMs: 0 },
    replicas: [],
    capacity: undefined,
    reportingSince: 0,
    ...change,
  };
}

const asked = (queued: number, busy = 0) => ({ busy, queued, oldestQueuedMs: 0 });

describe("desired replicas", () => {
  const tables: [string, ScaleSettings, [demand: number, want: number][]][] = [
    [
      "four requests each, two spare, at most six",
      { ...full, maxMultiplexing: 4, concurrencyBuffer: 2, maxConcurrency: 6 },
      [
        [0, 2],
        [1, 3],
        [4, 3],
        [5, 4],
        [9, 5],
        [40, 6],
      ],
    ],
    [
      "one request each, two spare, at least three, at most ten",
      { ...full, concurrencyBuffer: 2, minConcurrency: 3, maxConcurrency: 10 },
      [
        [0, 3],
        [1, 3],
        [4, 6],
        [5, 7],
        [9, 10],
      ],
    ],
    [
      "eight requests each, a quarter spare, at most twenty",
      { ...full, maxMultiplexing: 8, concurrencyBufferPerc: 25, maxConcurrency: 20 },
      [
        [0, 0],
        [1, 2],
        [9, 3],
        [40, 7],
        [100, 17],
      ],
    ],
    [
      "ten requests each, grown at 80 %",
      { ...defaultScale, maxMultiplexing: 10, maxConcurrency: 9 },
      [
        [0, 0],
        [8, 1],
        [9, 2],
        [16, 2],
        [17, 3],
      ],
    ],
    [
      "one request each: its utilisation does not count",
      { ...defaultScale, maxConcurrency: 9 },
      [
        [1, 1],
        [4, 4],
        [20, 9],
      ],
    ],
    [
      "seven per cent of a hundred are seven, not eight",
      { ...full, concurrencyBufferPerc: 7, maxConcurrency: 1000 },
      [[100, 107]],
    ],
    [
      "a floor above the maximum is cut",
      { ...full, minConcurrency: 4, maxConcurrency: 2 },
      [
        [0, 2],
        [9, 2],
      ],
    ],
  ];
  describe.each(tables)("%s", (_name, scale, rows) => {
    it.each(rows)("%i requests: %i", (demand, want) => {
      expect(wantedReplicas(scale, demand)).toBe(want);
    });
  });
});

describe("scaling up", () => {
  it("starts the first replica with the first request", () => {
    expect(decide(situation({ demand: asked(1) }))).toMatchObject({ want: 1, start: 1, drain: [] });
  });

  it("starts one replica for fifty requests at once if one is the maximum", () => {
    const starting = [replica("a", { isReady: false })];
    expect(decide(situation({ demand: asked(50) })).start).toBe(1);
    expect(decide(situation({ demand: asked(50), replicas: starting })).start).toBe(0);
  });

  it("starts no more at a time than allowed", () => {
    const scale = { ...defaultScale, maxConcurrency: 20, maxStarting: 4 };
    const starting = [replica("a", { isReady: false }), replica("b", { isReady: false })];
    expect(decide(situation({ scale, demand: asked(20) })).start).toBe(4);
    expect(decide(situation({ scale, demand: asked(20), replicas: starting })).start).toBe(2);
  });

  it("waits for the scaling delay, except below the minimum", () => {
    const scale = { ...defaultScale, scalingDelayMs: 500, maxConcurrency: 4 };
    const early = { busy: 0, queued: 1, oldestQueuedMs: 499 };
    const late = { busy: 0, queued: 1, oldestQueuedMs: 500 };
    expect(decide(situation({ scale, demand: early })).start).toBe(0);
    expect(decide(situation({ scale, demand: late })).start).toBe(1);
    const kept = { ...scale, minConcurrency: 2 };
    expect(decide(situation({ scale: kept, demand: early })).start).toBe(2);
  });

  it("starts no more than the machine can hold", () => {
    const scale = { ...defaultScale, maxConcurrency: 9 };
    const one = [replica("a", { inFlight: 1 })];
    const decision = decide(situation({ scale, demand: asked(5, 1), replicas: one, capacity: 2 }));
    expect(decision).toMatchObject({ want: 2, start: 1 });
  });
});

describe("scaling down", () => {
  const longIdle = { idleSince: now - 60_000 };

  it("drains a replica that was idle for its keep-alive", () => {
    const justBefore = [replica("a", { idleSince: now - 59_999 })];
    expect(decide(situation({ replicas: justBefore })).drain).toEqual([]);
    expect(decide(situation({ replicas: [replica("a", longIdle)] })).drain).toEqual(["a"]);
  });

  it("never drains a replica with a request, however old", () => {
    const busy = [
      replica("a", { idleSince: 0, inFlight: 1 }),
      replica("b", { idleSince: 0, inFlight: 3 }),
    ];
    expect(decide(situation({ replicas: busy })).drain).toEqual([]);
  });

  it("keeps the minimum and drains the longest idle first", () => {
    const scale = { ...defaultScale, minConcurrency: 1, maxConcurrency: 3 };
    const replicas = [
      replica("young", longIdle),
      replica("oldest", { idleSince: now - 90_000 }),
      replica("older", { idleSince: now - 70_000 }),
    ];
    expect(decide(situation({ scale, replicas })).drain).toEqual(["oldest", "older"]);
  });

  it("keeps an unused replica for ten seconds when the minimum is zero", () => {
    const unused = [replica("a", { wasUsed: false, idleSince: now - 10_000 })];
    expect(decide(situation({ replicas: unused })).drain).toEqual(["a"]);
    const buffered = { ...defaultScale, minConcurrency: 1, maxConcurrency: 2 };
    const two = [...unused, replica("b")];
    expect(decide(situation({ scale: buffered, replicas: two })).drain).toEqual([]);
  });

  it("lets a replica start although no request waits any more", () => {
    const alone = [replica("a", { isReady: false, idleSince: 0 })];
    expect(decide(situation({ replicas: alone })).drain).toEqual([]);
  });

  it("cancels a start before draining an idle replica when enough are ready", () => {
    const scale = { ...defaultScale, minConcurrency: 1, maxConcurrency: 3 };
    const replicas = [replica("ready", longIdle), replica("late", { ...longIdle, isReady: false })];
    expect(decide(situation({ scale, replicas })).drain).toEqual(["late"]);
  });
});

describe("figures of a gateway that has just connected", () => {
  const old = [replica("a", { idleSince: 0 }), replica("b", { idleSince: 0, wasUsed: false })];
  const since = (reportingSince: number | undefined, scale = defaultScale) =>
    decide(situation({ scale, replicas: old, reportingSince })).drain;

  it("start the idle time of all replicas anew", () => {
    expect(since(now - 59_999)).not.toContain("a");
    expect(since(now - 60_000)).toContain("a");
  });

  it("stop nothing within ten seconds, however short the keep-alive is", () => {
    const scale = { ...defaultScale, keepAliveMs: 0 };
    expect(since(now - 9999, scale)).toEqual([]);
    expect(since(now - 10_000, scale)).toEqual(["a", "b"]);
  });

  it("stop nothing while there are none, but start what is asked for", () => {
    expect(since(undefined)).toEqual([]);
    const decision = decide(situation({ demand: asked(1), reportingSince: undefined }));
    expect(decision.start).toBe(1);
  });
});

it("never cuts a request, exceeds the limits, or starts and drains at once", () => {
  const replicas = fc.uniqueArray(
    fc.record({
      replica: fc.string({ minLength: 1, maxLength: 4 }),
      isReady: fc.boolean(),
      inFlight: fc.nat(5),
      idleSince: fc.integer({ min: now - 200_000, max: now }),
      wasUsed: fc.boolean(),
    }),
    { selector: ({ replica: name }) => name, maxLength: 12 },
  );
  const scales = fc.record({
    minConcurrency: fc.nat(5),
    maxConcurrency: fc.integer({ min: 1, max: 10 }),
    concurrencyBuffer: fc.nat(4),
    concurrencyBufferPerc: fc.nat(200),
    maxMultiplexing: fc.integer({ min: 1, max: 64 }),
    targetUtilization: fc.double({ min: 0.1, max: 1, noNaN: true }),
    scalingDelayMs: fc.nat(1000),
    keepAliveMs: fc.nat(100_000),
    maxStarting: fc.integer({ min: 1, max: 6 }),
  });
  const demands = fc.record({
    busy: fc.nat(100),
    queued: fc.nat(100),
    oldestQueuedMs: fc.nat(2000),
  });
  fc.assert(
    fc.property(
      scales,
      demands,
      replicas,
      fc.option(fc.nat(12), { nil: undefined }),
      fc.option(fc.nat(now), { nil: undefined }),
      (...parts) => {
        const [scale, demand, present, capacity, reportingSince] = parts;
        const decision = decide({
          now,
          scale,
          demand,
          replicas: present,
          capacity,
          reportingSince,
        });
        const drained = present.filter((each) => decision.drain.includes(each.replica));
        expect(drained.every(({ inFlight }) => inFlight === 0)).toBe(true);
        expect(decision.want).toBeLessThanOrEqual(Math.min(scale.maxConcurrency, capacity ?? 10));
        expect(present.length - drained.length).toBeGreaterThanOrEqual(
          Math.min(present.length, decision.want),
        );
        expect(decision.start === 0 || decision.drain.length === 0).toBe(true);
        expect(decision.start).toBeLessThanOrEqual(scale.maxStarting);
      },
    ),
  );
});
