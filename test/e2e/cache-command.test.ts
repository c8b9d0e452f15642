// Prompts cached on disk: restored by a restarted server, listed and removed by modelctl cache.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { runnersOf } from "../support/processes.ts";
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

const system = Array.from({ length: 300 }, (_, index) => `item ${(index * 7919) % 1000}`).join(" ");

interface Listed {
  model: string;
  tokens: number;
  sizeBytes: number;
  path: string;
}

async function list(...words: string[]): Promise<Listed[]> {
  return JSON.parse((await home.call(["cache", "list", ...words, "--json"])).output) as Listed[];
}

/** Starts a server for one request to each model. */
async function ask(
  models: readonly string[],
  question: string,
  environment: Record<string, string> = {},
) {
  const server = home.start(["serve"], { environment });
  await until(
    () => home.serverFile(),
    (file) => file !== undefined,
  );
  const messages = [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
  for (const model of models) {
    const reply = await fetch(`${home.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({ model, messages, stream: false, options: { num_predict: 4 } }),
    });
    expect(reply.status).toBe(200);
  }
  const requests = await home.call(["logs", "--json"]);
  // A service manager signals every process of the service, the runner too.
  const runners = runnersOf(server.child.pid ?? 0);
  expect(runners).not.toEqual([]);
  for (const runner of runners) process.kill(runner, "SIGTERM");
  server.child.kill("SIGTERM");
  const { errors } = await server.ended;
  const [record] = requests.output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { cachedTokens: number; cachedFrom: string });
  return { record, errors };
}

describe("a long system prompt", () => {
  test("is restored from disk after a restart, listed and removed", async () => {
    const first = await ask(["mine", "tiny"], "Who are you?");
    expect(first.record).toMatchObject({ cachedTokens: 0 });
    const all = (await list()).map(({ model }) => model).sort();
    expect(all).toEqual(["mine:latest", "tiny:latest"]);
    const [stored] = await list("mine");
    expect(stored).toMatchObject({ model: "mine:latest" });
    expect(stored?.tokens).toBeGreaterThan(1024);
    const { output } = await home.call(["cache", "list"]);
    expect(output).toMatch(/^MODEL +TOKENS +SIZE +CREATED +USED\n/);
    expect(output).toMatch(/^mine:latest +\d{4} +\d/m);

    const again = await ask(["mine"], "What is your name?");
    expect(again.record).toMatchObject({ cachedFrom: "disk" });
    expect(again.record?.cachedTokens).toBeGreaterThan(1024);

    const removed = await home.call(["cache", "clear", "tiny"]);
    expect(removed.output).toMatch(/^removed 1 stored prompt: \d/);
    expect(await list("tiny")).toEqual([]);
    expect(await list()).toHaveLength(1);
    // A model's prompts go with it.
    await home.call(["rm", "mine"]);
    expect(await list()).toEqual([]);
  }, 60_000);

  test("is not stored when the cache is off", async () => {
    await ask(["tiny"], "Who are you?", { MODELCTL_PROMPT_CACHE: "0" });
    expect(await list()).toEqual([]);
  }, 60_000);

  test("is computed again when the folder is unusable, with one log line", async () => {
    const cache = path.join(home.folder, "other-cache");
    mkdirSync(path.join(cache, "modelctl"), { recursive: true });
    writeFileSync(path.join(cache, "modelctl", "prompts"), "in its place");
    const { errors } = await ask(["tiny"], "Who are you?", { XDG_CACHE_HOME: cache });
    expect(errors.split("\n").filter((line) => line.includes("cannot be stored"))).toEqual([
      expect.stringMatching(
        / tiny: prompts cannot be stored on disk: it or a folder above it is a file/,
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
