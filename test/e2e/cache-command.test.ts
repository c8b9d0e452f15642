// Prompts cached on disk: restored by a restarted server, listed and removed by modelctl cache.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Settings } from "../../source/configuration/settings.ts";
import { Home, tinyFile } from "../support/command-line.ts";
import { runnersOf } from "../support/processes.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
  const file = path.join(home.folder, "weights.gguf");
  copyFileSync(tinyFile, file);
  const modelfile = path.join(home.folder, "Modelfile");
  writeFileSync(modelfile, `FROM ${file}\n`);
  await home.call(["create", "mine", "-f", modelfile]);
});
afterAll(async () => await home.remove());

const system = Array.from({ length: 230 }, (_, index) => `item ${(index * 7919) % 1000}`).join(" ");

interface Listed {
  model: string;
  tokens: number;
  sizeBytes: number;
  path: string;
}

async function list(...words: string[]): Promise<Listed[]> {
  return JSON.parse((await home.call(["cache", "list", ...words, "--json"])).output) as Listed[];
}

function chat(model: string, question: string) {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
  return { model, messages, stream: false, options: { num_predict: 1 } };
}

/** Starts a server for one request to each model. @returns the record of the first */
async function ask(models: readonly string[], question: string) {
  const server = home.start(["serve"]);
  await until(
    () => home.serverFile(),
    (file) => file !== undefined,
  );
  for (const model of models) {
    const body = JSON.stringify(chat(model, question));
    const reply = await fetch(`${home.url}/api/chat`, { method: "POST", body });
    expect(reply.status).toBe(200);
  }
  const requests = await home.call(["logs", "--json"]);
  // A service manager signals every process of the service, the runner too.
  const runners = runnersOf(server.child.pid ?? 0);
  expect(runners).not.toEqual([]);
  for (const runner of runners) process.kill(runner, "SIGTERM");
  server.child.kill("SIGTERM");
  await server.ended;
  const [first] = requests.output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { cachedTokens: number; cachedFrom: string });
  return first;
}

/**
 * Asks a server in the test's process. @returns what it logged
 * @param cache the folder of its cache, by default the home's
 */
async function askWithin(
  settings: Partial<Settings>,
  cache = path.join(home.folder, "cache", "modelctl"),
): Promise<readonly string[]> {
  const data = path.join(home.folder, "data", "modelctl");
  const server = await TestServer.start(settings, { paths: { data, cache } });
  const { status } = await server.post("/api/chat", chat("tiny", "Who are you?"));
  await server.close();
  expect(status).toBe(200);
  return server.log;
}

describe("a long system prompt", () => {
  test("is restored from disk after a restart, listed and removed", async () => {
    const first = await ask(["mine", "tiny"], "Who are you?");
    expect(first).toMatchObject({ cachedTokens: 0 });
    const all = (await list()).map(({ model }) => model).sort();
    expect(all).toEqual(["mine:latest", "tiny:latest"]);
    const [stored] = await list("mine");
    expect(stored).toMatchObject({ model: "mine:latest" });
    expect(stored?.tokens).toBeGreaterThan(1024);
    const { output } = await home.call(["cache", "list"]);
    expect(output).toMatch(/^MODEL +TOKENS +SIZE +CREATED +USED\n/);
    expect(output).toMatch(/^mine:latest +\d{4} +\d/m);

    const again = await ask(["mine"], "What is your name?");
    expect(again).toMatchObject({ cachedFrom: "disk" });
    expect(again?.cachedTokens).toBeGreaterThan(1024);

    const removed = await home.call(["cache", "clear", "tiny"]);
    expect(removed.output).toMatch(/^removed 1 stored prompt: \d/);
    expect(await list("tiny")).toEqual([]);
    expect(await list()).toHaveLength(1);
    // A model's prompts go with it.
    await home.call(["rm", "mine"]);
    expect(await list()).toEqual([]);
  }, 60_000);

  test("is not stored when the cache is off", async () => {
    await askWithin({ prompt_cache: 0 });
    expect(await list()).toEqual([]);
  }, 60_000);

  test("is computed again when the folder is unusable, with one log line", async () => {
    const cache = path.join(home.folder, "other-cache");
    mkdirSync(cache);
    writeFileSync(path.join(cache, "prompts"), "in its place");
    const log = await askWithin({}, cache);
    expect(log.filter((line) => line.includes("cannot be stored"))).toEqual([
      expect.stringMatching(
        /^tiny: prompts cannot be stored on disk: it or a folder above it is a file/,
      ),
    ]);
  }, 60_000);
});

test("an unknown model is reported as not found", async () => {
  for (const command of ["list", "clear"]) {
    const { code, errors } = await home.call(["cache", command, "nothing"]);
    expect({ code, errors }).toEqual({ code: 3, errors: expect.stringMatching(/not found/) });
  }
});
