// Child processes end with their parent, even if it is killed and they do not notice a closed channel.
import { type ChildProcess, fork, spawn } from "node:child_process";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isAlive } from "../support/processes.ts";
import { until } from "../support/until.ts";

const support = path.join(import.meta.dirname, "..", "support");

/** Starts a parent and returns the ids that it prints. */
async function startParent(file: string, words: readonly string[], count: number) {
  const parent = fork(path.join(support, file), words, { silent: true });
  onTestFinished(() => void parent.kill("SIGKILL"));
  let output = "";
  parent.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ids = await until(
    () => output.trim().split(/\s+/).map(Number),
    (found) => found.length === count && found.every((id) => id > 0),
  );
  onTestFinished(() => {
    for (const id of ids) if (isAlive(id)) process.kill(id, "SIGKILL");
  });
  return { parent, ids };
}

async function untilGone(ids: readonly number[]): Promise<void> {
  await until(
    () => ids.filter(isAlive),
    (living) => living.length === 0,
  );
}

function kill(parent: ChildProcess): void {
  parent.kill("SIGKILL");
}

describe.skipIf(process.platform === "win32")("a killed parent", () => {
  // For `create -q` and for `deployctl run --local`.
  test.each(["group", "tree"])("ends a computing program, as a %s", async (scope) => {
    const busy = "while :; do :; done";
    const { parent, ids } = await startParent(
      "busy-parent.ts",
      [scope, "/bin/sh", "-c", `(${busy}) & echo $$ $!; ${busy}`],
      2,
    );
    kill(parent);
    await untilGone(ids);
  });

  test("ends a program that ignores every signal", async () => {
    const { parent, ids } = await startParent(
      "busy-parent.ts",
      ["group", "/bin/sh", "-c", "trap '' HUP INT TERM PIPE; echo $$; while :; do :; done"],
      1,
    );
    kill(parent);
    await untilGone(ids);
  });

  test("leaves other programs alone", async () => {
    const other = spawn("sleep", ["60"]);
    onTestFinished(() => void other.kill("SIGKILL"));
    const { parent, ids } = await startParent(
      "busy-parent.ts",
      ["group", "/bin/sh", "-c", "echo $$; sleep 60"],
      1,
    );
    kill(parent);
    await untilGone(ids);
    expect(isAlive(other.pid ?? 0)).toBe(true);
  });
});
