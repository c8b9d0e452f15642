// Apps that sleep when idle: a server with vLLM's routes, and our own, which gives its model's memory back.
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { processesOfHome } from "../support/processes.ts";
import { until } from "../support/until.ts";

interface Runner {
  replica: string;
  app: string;
  state: string;
  coldStartPhasesMs?: Record<string, number>;
}

let cloud: CloudHome;

beforeAll(async () => {
  cloud = await CloudHome.create();
});
afterAll(async () => await cloud.remove());

const sleeping = ["--auth", "public", "--sleep-after", "500ms", "--stop-after", "1h"];
const addressOf = (app: string) => `http://127.0.0.1:${cloud.gatewayPort}/local/${app}`;

async function runnersOf(app: string): Promise<Runner[]> {
  return (await cloud.json<{ runners: Runner[] }>(["apps", "runners", app])).runners;
}

/** Waits until its only replica sleeps. */
async function untilAsleep(app: string): Promise<Runner> {
  const [runner] = await until(
    async () => await runnersOf(app),
    (runners) => runners.length === 1 && runners[0]?.state === "ASLEEP",
  );
  if (runner === undefined) throw new Error("there is no replica");
  return runner;
}

async function ask(app: string): Promise<Response> {
  const body = JSON.stringify({
    model: app,
    messages: [{ role: "user", content: "Hello!" }],
    max_tokens: 2,
  });
  const headers = { "content-type": "application/json" };
  return await fetch(`${addressOf(app)}/v1/chat/completions`, { method: "POST", headers, body });
}

test("a server with vLLM's routes wakes with the next call, and keeps them from callers", async () => {
  const environment = { FAKE_SLEEPS: "1", FAKE_NO_WAKE_WHILE: path.join(cloud.folder, "stuck") };
  const variables = Object.entries(environment).flatMap(([name, value]) => [
    "--env",
    `${name}=${value}`,
  ]);
  cloud.write("app.py", fakeServerScript());
  await cloud.json(["deploy", "app.py", "--app-name", "sleepy", ...sleeping, ...variables]);
  const { replica } = await untilAsleep("sleepy");
  const { output } = await cloud.call(["apps", "list"]);
  expect(output).toMatch(/sleepy +ASLEEP/);
  const refused = await fetch(`${addressOf("sleepy")}/wake_up`, { method: "POST" });
  expect([refused.status, refused.headers.get("x-dctl-error-type")]).toEqual([
    403,
    "path_reserved",
  ]);
  expect((await runnersOf("sleepy"))[0]?.state).toBe("ASLEEP");
  const reply = await ask("sleepy");
  expect([reply.status, reply.headers.get("x-dctl-cold-start")]).toEqual([200, "1"]);
  const [woken] = await runnersOf("sleepy");
  expect(woken?.replica).toBe(replica);
  expect(Object.keys(woken?.coldStartPhasesMs ?? {})).toEqual(["woke"]);

  await untilAsleep("sleepy");
  cloud.write("stuck", "");
  expect((await ask("sleepy")).status).toBe(200);
  expect((await runnersOf("sleepy")).map((each) => each.replica)).not.toContain(replica);
  const { output: log } = await cloud.call(["logs", "sleepy", "--lines", "all"]);
  expect(log).toContain("did not wake: POST /wake_up returned status 500");
});

test("modelctl ends the process of its model, and loads it again", async () => {
  await cloud.json(["init", "--model", "tiny"]);
  await cloud.json(["deploy", "deploy.py", "--app-name", "tiny", ...sleeping]);
  const models = () =>
    processesOfHome(cloud.folder).filter(({ text }) => text.includes("runner-main"));
  const { replica } = await untilAsleep("tiny");
  await until(models, ({ length }) => length === 0);
  expect((await ask("tiny")).status).toBe(200);
  expect(models()).toHaveLength(1);
  expect((await runnersOf("tiny"))[0]?.replica).toBe(replica);
  await untilAsleep("tiny");
});
