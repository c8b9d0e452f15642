// A promise that is rejected and that nobody handles, in each process that serves others.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readServerFile } from "../../source/client/server-file.ts";
import type { ServerProcesses } from "../../source/cloud/admin/documents.ts";
import { CloudHome } from "../support/cloud-home.ts";
import { findFreePort, Home } from "../support/command-line.ts";
import { openTerminal } from "../support/pty.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const fault = "nobody waits for this";
const sentence = `internal error, which other requests survive; please report it: Error: ${fault}`;

/** Makes SIGUSR2 reject a promise in each process of Node. */
let environment: Record<string, string>;
beforeEach(() => {
  const file = path.join(temporaryFolder(), "reject.mjs");
  writeFileSync(file, `process.on("SIGUSR2", () => void Promise.reject(new Error("${fault}")));\n`);
  environment = { NODE_OPTIONS: `--import=${file}` };
});

const count = (text: string) => text.split(sentence).length - 1;

describe.skipIf(process.platform === "win32")("a rejection that nobody handles", () => {
  describe("in a server", () => {
    let home: Home;
    beforeAll(async () => {
      home = await Home.create();
    });
    afterAll(async () => await home.remove());

    test("is written to its log, and running answers end as they would have", async () => {
      const { child, ended } = home.start(["serve"], { environment });
      let errors = "";
      child.stderr?.on("data", (piece: string) => {
        errors += piece;
      });
      await until(
        () => errors,
        (text) => text.includes("listening"),
      );
      const reply = await fetch(`${home.url}/api/generate`, {
        method: "POST",
        body: JSON.stringify({
          model: "tiny",
          prompt: "Write a list.",
          format: { type: "array", items: { type: "integer" }, minItems: 100 },
          options: { num_predict: 600 },
        }),
      });
      child.kill("SIGUSR2");
      const lines = (await reply.text()).trim().split("\n");
      expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ done: true, eval_count: 600 });
      await until(
        () => count(errors),
        (faults) => faults === 1,
      );
      expect((await fetch(`${home.url}/api/version`)).status).toBe(200);
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({ code: 0 });
    });
  });

  test("in a screen that hosts the server is named when it closes", async () => {
    const host = `127.0.0.1:${await findFreePort()}`;
    const terminal = await openTerminal([], {
      columns: 200,
      environment: { ...environment, MODELCTL_HOST: host },
    });
    await terminal.takesKeys();
    const state = path.join(terminal.home, ".local", "state", "modelctl");
    const file = await until(
      () => readServerFile(state),
      (found) => found !== undefined,
    );
    if (file === undefined) throw new Error("no server");
    process.kill(file.pid, "SIGUSR2");
    const logFile = path.join(state, "server.log");
    await until(
      () => existsSync(logFile) && count(readFileSync(logFile, "utf8")) === 1,
      (isLogged) => isLogged,
    );
    await terminal.send("What is 2 + 3?");
    await terminal.shows("2 + 3 = 5");
    await terminal.send("/bye");
    expect(await terminal.exited).toBe(0);
    expect(terminal.text()).toContain(
      `An internal error is recorded in ${logFile}; please report it.`,
    );
    await terminal.close();
  });

  test("in the supervisor, the gateway or the control plane ends none of them", async () => {
    const cloud = await CloudHome.create();
    await cloud.run(["up"], { environment });
    const before = await cloud.json<ServerProcesses & { supervisor: { pid: number } }>(["status"]);
    const all = [before.supervisor, before.controlPlane, before.gatewayProcess];
    for (const { pid } of all) process.kill(pid, "SIGUSR2");
    const logFile = path.join(cloud.stateFolder, "server.log");
    await until(
      () => count(readFileSync(logFile, "utf8")),
      (faults) => faults === all.length,
    );
    const after = await cloud.json<ServerProcesses>(["status"]);
    expect([after.supervisor, after.controlPlane, after.gatewayProcess]).toEqual(all);
    await cloud.remove();
  });
});
