// Reasons of exits on a cluster, from the wrapper's report in Serve's message.
import { expect, it } from "vitest";
import {
  type ExitReport,
  exitOf,
  lastLine,
  readReport,
} from "../../../../source/cloud/engines/ray/actor-exit.ts";

const message = (report: object) => `Deploying app 'x' failed with exception:
Traceback (most recent call last):
  File "replica.py", line 12, in __init__
RuntimeError: The replica did not start.
@deployctl ${JSON.stringify(report)}
(more of Serve)`;

const plain = { phase: "exited", at: 1, code: null, signal: null, reason: null, sentence: null };

it.each<[change: Partial<ExitReport>, reason: string, sentence: string]>([
  [{ reason: "import_error", sentence: "No torch" }, "import_error", "No torch."],
  [{ code: 7 }, "exited", "It exited with code 7."],
  [{ signal: "SIGTERM" }, "killed", "It was killed by SIGTERM."],
  [{ code: 1, tail: ["CUDA out of memory"] }, "out_of_memory", "Not enough GPU memory."],
])("%j", (change, reason, sentence) => {
  const report = readReport(message({ ...plain, tail: ["last words"], ...change }));
  expect(report && exitOf(report, undefined)).toMatchObject({
    reason,
    sentence,
    tail: change.tail ?? ["last words"],
  });
});

it("a message without a report is quoted", () => {
  expect(readReport("It broke.")).toBeUndefined();
  expect(readReport('@deployctl {"phase": "exited", broken')).toBeUndefined();
  expect(lastLine("Traceback:\n  File x\nRuntimeError: no such package\n\n")).toBe(
    "RuntimeError: no such package",
  );
});
