// State of an app as one word, with its reason.
import { expect, it } from "vitest";
import type { AppState } from "../../../source/cloud/admin/documents.ts";
import { type AppFacts, appState } from "../../../source/cloud/control-plane/states.ts";

const active = { state: "ACTIVE", reason: undefined, failures: 0, notBefore: 0 } as const;
const plain: AppFacts = {
  app: { desired: "active", rollout: undefined },
  active,
  lastFailure: undefined,
  replicas: [],
  wanted: 0,
  shortage: undefined,
  stateFault: undefined,
  errors: undefined,
  lackingMs: 0,
  now: 1000,
};
const rollout = {
  revision: "r2",
  strategy: "rolling",
  isHolding: false,
  smoke: undefined,
  since: 0,
} as const;

const cases: [AppState, string, Partial<AppFacts>][] = [
  ["COLD", "there are no requests and no replicas", {}],
  ["STARTING", "the first replica starts", { replicas: ["SETUP"], wanted: 1 }],
  [
    "STARTING",
    "its first revision is verified",
    { active: undefined, app: { desired: "active", rollout } },
  ],
  ["READY", "one replica is ready", { replicas: ["IDLE"], wanted: 1 }],
  [
    "READY",
    "fewer are ready than wanted, for a short time",
    { replicas: ["RUNNING"], wanted: 3, lackingMs: 59_000 },
  ],
  [
    "DEGRADED",
    "fewer are ready than wanted, for a minute",
    { replicas: ["RUNNING"], wanted: 3, lackingMs: 60_000 },
  ],
  ["DEGRADED", "it answers only with errors", { replicas: ["IDLE"], errors: "Its last …" }],
  ["COLD", "it did so and has no replica", { errors: "Its last …" }],
  ["ASLEEP", "its replicas sleep", { replicas: ["ASLEEP", "ASLEEP"] }],
  ["STARTING", "one of them wakes", { replicas: ["ASLEEP", "WAKING"], wanted: 1 }],
  ["READY", "one of them has woken", { replicas: ["ASLEEP", "IDLE"], wanted: 1 }],
  [
    "ROLLING",
    "another revision is verified",
    { replicas: ["IDLE"], app: { desired: "active", rollout } },
  ],
  [
    "CRASH_BACKOFF",
    "its replicas end",
    { active: { ...active, failures: 1, notBefore: 2000 }, wanted: 1 },
  ],
  [
    "READY",
    "one replica ended, another is ready",
    { active: { ...active, failures: 1, notBefore: 2000 }, replicas: ["IDLE"] },
  ],
  ["UNSCHEDULABLE", "nothing fits", { shortage: "no GPU", wanted: 1 }],
  [
    "PAUSED",
    "it is paused",
    { app: { desired: "paused", rollout: undefined }, replicas: ["DRAINING"] },
  ],
  [
    "DELETING",
    "its last requests are running",
    { app: { desired: "deleting", rollout: undefined } },
  ],
  ["DELETED", "it is gone", { app: { desired: "deleted", rollout: undefined } }],
  [
    "FAILED",
    "no revision ever started",
    { active: undefined, lastFailure: { code: "CLOUD_START_FAILED", sentence: "No." } },
  ],
  [
    "UNSCHEDULABLE",
    "its only revision fits nowhere",
    { active: undefined, lastFailure: { code: "CLOUD_NO_CAPACITY", sentence: "No GPU." } },
  ],
];

it.each(cases)("%s when %s", (state, _why, facts) => {
  expect(appState({ ...plain, ...facts }).state).toBe(state);
});

it("bad states have a reason", () => {
  const reasonOf = (facts: Partial<AppFacts>) => appState({ ...plain, ...facts }).reason;
  expect(reasonOf({ shortage: "no GPU", wanted: 1 })).toBe("no GPU");
  expect(
    reasonOf({ active: undefined, lastFailure: { code: undefined, sentence: "No module torch." } }),
  ).toBe("No module torch.");
  expect(reasonOf({ replicas: ["IDLE"], wanted: 3, lackingMs: 90_000 })).toBe(
    "1 of 3 replicas are ready",
  );
  const crashing = { ...active, failures: 4, notBefore: 2000, reason: "It exited with code 1." };
  expect(reasonOf({ active: crashing })).toContain("It exited with code 1 (4 times in a row).");
});
