// Waiting for a server in the background.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  backgroundLogFile,
  startBackgroundServer,
} from "../../../source/application/local-server/background-server.ts";
import { isAlive } from "../../support/processes.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/until.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** Returns a program that replaces the server. */
function program(text: string): { entry: string; stateFolder: string; flags: string[] } {
  const entry = path.join(folder, "server.mjs");
  writeFileSync(entry, text);
  return { entry, stateFolder: path.join(folder, "state"), flags: [] };
}

test("stops waiting when interrupted before the server answers", async () => {
  const options = program("console.log(process.pid); setInterval(() => {}, 1000);");
  const log = () => readFileSync(backgroundLogFile(options.stateFolder), "utf8");
  const interrupt = new AbortController();
  const started = startBackgroundServer(
    { ...options, signal: interrupt.signal },
    async () => undefined,
  );
  const server = await until(
    () => Number(/^\d+$/m.exec(log())?.[0]),
    (id) => id > 0,
  );
  try {
    interrupt.abort();
    await expect(started).rejects.toThrow("aborted");
    expect(isAlive(server)).toBe(true);
  } finally {
    process.kill(server, "SIGKILL");
  }
});

test("says why the server exited at once, and names its log", async () => {
  const options = program('console.error("Error: No luck. Try again.");');
  const logFile = backgroundLogFile(options.stateFolder);
  await expect(startBackgroundServer(options, async () => undefined)).rejects.toMatchObject({
    code: "CLIENT_SERVER_UNREACHABLE",
    message: "The background server ended at once: No luck. Try again.",
    hint: `See its log: ${logFile}`,
  });
  expect(readFileSync(logFile, "utf8")).toMatch(
    /^\S+Z starting a server in the background\nError: No luck\. Try again\.\n$/,
  );
});

test("reports a server that exited silently, whatever an earlier one logged", async () => {
  const said = program('console.error("Error: No luck.");');
  await expect(startBackgroundServer(said, async () => undefined)).rejects.toThrow("No luck");
  const silent = program("");
  await expect(startBackgroundServer(silent, async () => undefined)).rejects.toMatchObject({
    message: "The background server ended at once.",
  });
});
