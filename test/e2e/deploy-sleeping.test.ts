// Sleeping app with a cached model list and early streams, called by OpenAI's client.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";
import { until } from "../support/until.ts";

const question = [{ role: "user" as const, content: "What is the capital of France?" }];
const request = { messages: question, temperature: 0, max_tokens: 24, stream: true } as const;
const words = ["--keep-alive", "1s", "--models-cache", "--early-stream"];

let cloud: CloudHome;
let url: string;
let openai: OpenAI;

beforeAll(async () => {
  cloud = await CloudHome.create();
  await cloud.json(["init", "--model", "tiny"]);
  url = (await deploy()).url;
  const key = await cloud.createKey();
  openai = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: "unused",
    defaultHeaders: { Authorization: `Key ${key}` },
    maxRetries: 0,
  });
});
afterAll(async () => await cloud.remove());

async function deploy() {
  return await cloud.json<{ url: string; revision: string }>([
    ...["deploy", "deploy.py", "--app-name", "tiny", ...words],
  ]);
}

async function untilAsleep(): Promise<void> {
  await until(
    async () => await cloud.json(["apps", "show", "tiny"]),
    ({ state }) => state === "COLD",
  );
}

async function replicas(): Promise<number> {
  const list = ["runners", "list", "--state", "all"];
  return (await cloud.json<{ runners: unknown[] }>(list)).runners.length;
}

async function textOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  return text;
}

/** Waits for a record of the access log with this error type. */
async function lastRecord(errorType: string): Promise<unknown> {
  const file = path.join(cloud.stateFolder, "logs", "access.log");
  const records = await until(
    () =>
      readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line): Record<string, unknown> => JSON.parse(line)),
    (list) => list.some(({ error_type }) => error_type === errorType),
  );
  return records.findLast(({ error_type }) => error_type === errorType);
}

test("the model list of a sleeping app comes from its last reply, without waking it", async () => {
  const awake = await openai.models.list().withResponse();
  expect(awake.response.headers.get("x-dctl-cache")).toBeNull();
  expect(awake.data.data.map(({ id }) => id)).toContain("tiny:latest");
  await untilAsleep();
  const before = await replicas();
  const asleep = await openai.models.list().withResponse();
  expect(asleep.response.headers.get("x-dctl-cache")).toBe("cold");
  expect(asleep.data.data).toEqual(awake.data.data);
  expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  expect(await replicas()).toBe(before);
  const shown = await cloud.call(["apps", "show", "tiny"]);
  expect(shown.output).toMatch(/State +COLD/);
  expect(shown.output).toContain("/v1/models from the last reply, streams begin early");
});

test("a stream begins before the replica runs and carries the whole answer", async () => {
  await untilAsleep();
  const stream = openai.chat.completions.create({ ...request, model: "tiny" });
  const { data, response } = await stream.withResponse();
  // A replica's own reply would have this header.
  expect(response.headers.get("x-dctl-replica")).toBeNull();
  expect(response.headers.get("x-dctl-cold-start")).toBe("1");
  expect(await textOf(data)).toContain("Paris");
});

test("an error of the replica is the last event of the stream", async () => {
  await untilAsleep();
  const stream = await openai.chat.completions.create({ ...request, model: "no-such" });
  await expect(textOf(stream)).rejects.toMatchObject({
    code: "runner_error",
    error: { status: 404, message: expect.stringContaining("no-such") },
  });
  expect(await lastRecord("runner_error")).toMatchObject({ status: 404, cold_start: true });
});

test("a new revision has no cached list; if it cannot start, streams end with the reason", async () => {
  const script = path.join(cloud.folder, "deploy.py");
  const broken = path.join(cloud.folder, "broken");
  const guard = `    if os.path.exists(${JSON.stringify(broken)}):\n        sys.exit(3)\n`;
  const text = readFileSync(script, "utf8");
  const guarded = text.replace("def serve():\n", `def serve():\n${guard}`);
  expect(guarded).not.toBe(text);
  writeFileSync(script, guarded);
  const { revision } = await deploy();
  writeFileSync(broken, "");
  await untilAsleep();
  const headers = { "x-dctl-cold-start": "fail" };
  await expect(openai.models.list({ headers })).rejects.toMatchObject({ code: "starting" });
  const { data, response } = await openai.chat.completions
    .create({ ...request, model: "tiny" })
    .withResponse();
  expect(response.status).toBe(200);
  await expect(textOf(data)).rejects.toMatchObject({
    code: "startup_failed",
    error: { status: 503, message: expect.stringContaining(revision) },
  });
  expect(await lastRecord("startup_failed")).toMatchObject({ status: 503, method: "POST" });
});
