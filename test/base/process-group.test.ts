// Ending a program ends its children, too.
import { existsSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runGroup } from "../../source/base/process-group.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe("a program", () => {
  test.each([
    ["exit 0", undefined],
    ["exit 3", "ended with code 3"],
    ["kill -KILL $$", "ended with SIGKILL"],
  ])("that does %s reports how it ended", async (script, outcome) => {
    const { ended } = runGroup("/bin/sh", ["-c", script], { cwd: folder, signal: undefined });
    expect(await ended).toBe(outcome);
  });

  test("that does not exist says so", async () => {
    const { ended } = runGroup("/no/such/program", [], { signal: undefined });
    expect(await ended).toMatch(/^could not be run: .*ENOENT/);
  });

  test.skipIf(process.platform === "win32")(
    "is over only when its children have ended too",
    async () => {
      const [begun, over] = [path.join(folder, "begun"), path.join(folder, "over")];
      const abort = new AbortController();
      // The child outlives its parent, which ends at the first signal.
      const child = `trap 'sleep 0.3; touch ${over}; exit' TERM; touch ${begun}; while :; do sleep 0.05; done`;
      const { ended } = runGroup("/bin/sh", ["-c", `(${child}) & wait`], { signal: abort.signal });
      await until(() => existsSync(begun), Boolean);
      abort.abort();
      expect(await ended).toBe("ended with SIGTERM");
      expect(existsSync(over)).toBe(true);
    },
  );

  test("requested after the end is not started", async () => {
    const { ended } = runGroup("/bin/sh", ["-c", "sleep 60"], { signal: AbortSignal.abort() });
    expect(await ended).toBe("ended with SIGTERM");
  });
});
