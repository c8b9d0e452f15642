// Built-in tool that runs commands: output, failures, its end, and patterns that allow commands.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { BuiltInServer } from "../../../source/tools/built-in/built-in-server.ts";
import { fitsCommand, runCommand } from "../../../source/tools/built-in/run-command.ts";
import { isAlive } from "../../support/processes.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/until.ts";

function open() {
  const folder = temporaryFolder();
  const server = new BuiltInServer("shell", [runCommand], folder);
  const run = (command: string, signal = new AbortController().signal, timeoutMs = 60_000) =>
    server.call("run_command", { command }, { signal, timeoutMs });
  return { folder, server, run };
}

test("A command runs in the working folder, with few variables and without input", async () => {
  vi.stubEnv("SECRET_OF_ANOTHER", "x");
  const { folder, run } = open();
  const { text, isError } = await run("pwd; cat; echo problem >&2; env");
  vi.unstubAllEnvs();
  expect(isError).toBe(false);
  expect(text).toContain(path.basename(folder));
  expect(text).toContain("problem");
  expect(text).toContain("PATH=");
  expect(text).not.toContain("SECRET_OF_ANOTHER");
});

test("A failure has the output and the code", async () => {
  const { run } = open();
  expect(await run("echo before; exit 3")).toEqual({
    text: "before\n\n[ended with code 3]",
    images: [],
    isError: true,
  });
  expect((await run(" ")).isError).toBe(true);
});

test("Of a long output the beginning and the end are kept", async () => {
  const { run } = open();
  const { text } = await run("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
  expect(text.startsWith("first\nxxx")).toBe(true);
  expect(text).toMatch(/x\n\[… \d+ bytes left out …\]\nx/);
  expect(text.endsWith("x\nlast\n")).toBe(true);
  expect(text.length).toBeLessThan(200_000);
});

test("A cancelled command ends with what it started", async () => {
  const { folder, run } = open();
  const file = path.join(folder, "pid");
  const abort = new AbortController();
  const outcome = run("sleep 1000 & echo $! > pid; wait", abort.signal).catch(
    (error: unknown) => error,
  );
  await until(
    () => existsSync(file) && readFileSync(file, "utf8").trim() !== "",
    (isThere) => isThere,
  );
  const helper = Number(readFileSync(file, "utf8"));
  abort.abort(new Error("cancelled"));
  expect(await outcome).toMatchObject({ message: "cancelled" });
  await until(
    () => isAlive(helper),
    (alive) => !alive,
  );
});

test("A command ends at its time limit", async () => {
  const { run } = open();
  await expect(run("sleep 1000", undefined, 200)).rejects.toMatchObject({
    code: "TOOLS_CALL_TIMEOUT",
    message: "The tool run_command of shell did not finish within 200 ms.",
  });
});

test.each([
  ["git status", "git status", true],
  ["git status", "git status --short", false],
  ["git log*", "git log --oneline -5", true],
  ["npm run *", "npm run test", true],
  ["npm run *", "npm run", false],
  ["*", "anything at all", true],
  ["a*b*c", "a1b2c", true],
  ["a*b*c", "a1c2b", false],
  ["ab*ba", "aba", false],
  ["git log*", "git log; rm -rf .", false],
  ["git log*", "git log\nrm -rf .", false],
  ["git log*", "git log $(rm -rf .)", false],
  ["git log*", "git log `rm -rf .`", false],
  ["git log*", "git log | sh", false],
  ["git log*", "git log > file", false],
  ["git log*", "git log & rm a", false],
  ["*test", "rm -rf .;test", false],
  ["ls | wc *", "ls | wc -l", true],
  ["ls | wc *", "ls | wc -l | sh", false],
])("The pattern %j fits the command %j: %s", (pattern, command, expected) => {
  expect(fitsCommand(pattern, command)).toBe(expected);
});
