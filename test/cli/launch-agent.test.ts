// Launching an agent on a server of the test: the window that it gets, and what holds the server.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findAgent } from "../../source/agents/agents.ts";
import { launchAgent } from "../../source/cli/launch-agent.ts";
import { ApiClient } from "../../source/client/api-client.ts";
import { productPaths } from "../../source/configuration/paths.ts";
import { writeFakeAgent } from "../support/fake-agent.ts";
import { type ModelFolder, storeOf } from "../support/openai-client.ts";
import { TestServer } from "../support/test-server.ts";
import { windowTiny } from "../support/tiny-variants.ts";
import { until } from "../support/until.ts";

let folder: string;
let store: ModelFolder;
let server: TestServer;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "launch-agent-"));
  const large = path.join(folder, "large.gguf");
  writeFileSync(large, windowTiny(65_536));
  store = await storeOf({ large: { from: [large] } });
  server = await TestServer.start({ models: store.path, context_length: 2048 });
  vi.stubEnv("PATH", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await server.close();
  store.remove();
  rmSync(folder, { recursive: true });
});

/** The agent writes what it got into this file, and ends once the other one is there. */
const report = () => path.join(folder, "report.json");
const mayEnd = () => path.join(folder, "may-end");

function start(model: string): Promise<number> {
  writeFakeAgent(
    folder,
    `
  const fs = require("node:fs");
  fs.writeFileSync("${report()}.part", JSON.stringify({ window, url: server }));
  fs.renameSync("${report()}.part", "${report()}");
  while (!fs.existsSync("${mayEnd()}")) await new Promise((next) => setTimeout(next, 20));
  process.exitCode = 5;`,
  );
  return launchAgent(new ApiClient({ url: server.url }), {
    agent: findAgent("pi"),
    model,
    words: [],
    key: undefined,
    paths: { ...productPaths(), data: path.join(folder, "data") },
  });
}

async function untilStarted(): Promise<unknown> {
  await until(
    () => existsSync(report()),
    (isThere) => isThere,
  );
  return JSON.parse(readFileSync(report(), "utf8"));
}

const hoursLeft = async () => {
  const [loaded] = await server.loaded();
  return (Date.parse(loaded?.expires_at ?? "") - Date.now()) / 3_600_000;
};

test("an agent gets a window that is large enough, as long as it runs", async () => {
  const ended = start("large");
  expect(await untilStarted()).toEqual({ window: 32_768, url: server.url });
  expect(await server.loaded()).toMatchObject([{ context_length: 32_768 }]);
  expect(await hoursLeft()).toBeGreaterThan(24 * 365);
  writeFileSync(mayEnd(), "");
  expect(await ended).toBe(5);
  expect(await hoursLeft()).toBeLessThan(1);
});

test("the server is held as by an open screen until the agent ends", async () => {
  const ended = start("large");
  await untilStarted();
  await until(
    async () => server.hosted.watchers(),
    (watchers) => watchers === 1,
  );
  writeFileSync(mayEnd(), "");
  await ended;
  await until(
    async () => server.hosted.watchers(),
    (watchers) => watchers === 0,
  );
});

test("a model that was unloaded meanwhile is not loaded again", async () => {
  const ended = start("large");
  await untilStarted();
  await server.post("/api/generate", { model: "large", keep_alive: 0 });
  writeFileSync(mayEnd(), "");
  expect(await ended).toBe(5);
  await until(
    async () => await server.loaded(),
    (loaded) => loaded.length === 0,
  );
});

test("the agent's exit code is returned when the server ends first, which is said", async () => {
  const said: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  const ended = start("large");
  await untilStarted();
  await server.close();
  writeFileSync(mayEnd(), "");
  expect(await ended).toBe(5);
  expect(said.join("")).toContain(server.url);
  server = await TestServer.start({ models: store.path });
});

test("a folder that cannot be written is refused with the reason", async () => {
  writeFileSync(path.join(folder, "data"), "a file");
  await expect(start("large")).rejects.toMatchObject({
    code: "AGENT_FOLDER_UNWRITABLE",
    message: expect.stringContaining("it or a folder above it is a file"),
  });
  // The larger window is given up again.
  expect(await hoursLeft()).toBeLessThan(1);
});

test("files for an agent are readable by the user alone", async () => {
  const ended = start("large");
  await untilStarted();
  writeFileSync(mayEnd(), "");
  await ended;
  const file = path.join(folder, "data", "agents", "pi", "modelctl.js");
  expect(readFileSync(file, "utf8")).toContain("registerProvider");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
