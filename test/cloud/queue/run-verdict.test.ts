// Verdict on a run of a queued request, for each way in which it can end.
import { expect, test } from "vitest";
import type { RunOutcome } from "../../../source/cloud/queue/gateway-runs.ts";
import type { Submission } from "../../../source/cloud/queue/queue-command.ts";
import { judge } from "../../../source/cloud/queue/run-verdict.ts";

const submission: Submission = {
  ...{ keyId: undefined, path: "/", headers: [], address: "", forwardHeaders: [] },
  ...{ isLowPriority: false, isRepeatable: false, startTimeoutMs: undefined },
  ...{ affinity: undefined, idempotencyKey: undefined, webhook: undefined },
};
const ended = (errorType: string | undefined, wasStarted: boolean): RunOutcome => ({
  ...{ kind: "ended", status: 503, headers: [], body: Buffer.alloc(0), errorType, wasStarted },
});
const lost = (wasStarted: boolean): RunOutcome => ({ kind: "lost", wasStarted });

test.each<[string, RunOutcome, { once: string; repeatable: string }]>([
  ["a reply", ended(undefined, true), { once: "store", repeatable: "store" }],
  ["a deleted app", ended("app_deleted", false), { once: "store", repeatable: "store" }],
  ["no replica", ended("queue_timeout", false), { once: "again", repeatable: "again" }],
  ["refused", ended("runner_connection_refused", true), { once: "again", repeatable: "again" }],
  ["a death", ended("runner_disconnected", true), { once: "store", repeatable: "again" }],
  ["a timeout", ended("request_timeout", true), { once: "store", repeatable: "store" }],
  ["a gateway's end before it", lost(false), { once: "again", repeatable: "again" }],
  ["a gateway's end during it", lost(true), { once: "fail", repeatable: "again" }],
])("%s", (_name, outcome, { once, repeatable }) => {
  expect(judge({ attempts: 1, submission }, outcome).kind).toBe(once);
  const again = { ...submission, isRepeatable: true };
  expect(judge({ attempts: 1, submission: again }, outcome).kind).toBe(repeatable);
  // Never a third time.
  const third = judge({ attempts: 2, submission: again }, outcome);
  expect(third.kind).toBe(once);
});
