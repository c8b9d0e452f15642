// Our own server as an app: four commands, then OpenAI's client, also while the app sleeps, with a cached
// model list and early streams.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";
import { until } from "../support/until.ts";

const question = [{ role: "user" as const, content: "What is the capital of France?" }];

let cloud: CloudHome;
let key: string;
let url: string;
let openai: OpenAI;

beforeAll(async () => {
  cloud = await CloudHome.create();
  await cloud.home.call(["cp", "tiny", "served"]);
  expect(await cloud.json(["init", "--model", "served"])).toMatchObject({
    file: path.join(cloud.folder, "deploy.py"),
  });
  url = (await deploy()).url;
  key = await cloud.createKey();
  openai = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: "unused",
    defaultHeaders: { Authorization: `Key ${key}` },
    maxRetries: 0,
  });
});
afterAll(async () => await cloud.remove());

const deployWords = ["deploy", "deploy.py", "--app-name", "tiny"];
const optionWords = ["--models-cache", "--early-stream"];

async function deploy() {
  return await cloud.json<{ url: string; revision: string; status: string }>([
    ...deployWords,
    ...optionWords,
  ]);
}

describe("modelctl behind the gateway", () => {
  test("lists its models", async () => {
    const models = await openai.models.list();
    expect(models.data.map(({ id }) => id)).toContain("served:latest");
  });

  test("gives the same text whole and streamed", async () => {
    const request = { model: "served", messages: question, temperature: 0, max_tokens: 24 };
    const whole = await openai.chat.completions.create(request);
    const text = whole.choices[0]?.message.content ?? "";
    expect(text).toContain("Paris");
    let streamed = "";
    let pieces = 0;
    for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? "";
      pieces += 1;
    }
    expect(streamed).toBe(text);
    // Tokens that wait for a slow reader are sent as one piece.
    expect(pieces).toBeGreaterThan(1);
  });

  test("passes errors through unchanged", async () => {
    const refused = openai.chat.completions.create({ model: "no-such", messages: question });
    await expect(refused).rejects.toMatchObject({ status: 404 });
  });

  test("is not deployed without its model, and says why", async () => {
    await cloud.json(["init", "--model", "absent", "--file", "absent.py"]);
    const words = ["deploy", "absent.py", "--app-name", "absent"];
    const { code, errors } = await cloud.call(words);
    expect({ code, errors }).toMatchObject({
      code: 6,
      errors: expect.stringContaining("model 'absent' not found"),
    });
  });

  test("is not used by modelctl as a local server", async () => {
    const { output } = await cloud.home.call(["ps"], { environment: { MODELCTL_HOST: "" } });
    expect(output).not.toContain("served");
  });

  test("refuses OpenAI's Bearer header and says which header it needs", async () => {
    const plain = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
    await expect(plain.models.list()).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining("Key"),
    });
  });

  test("stays unchanged when deployed again", async () => {
    expect(await deploy()).toMatchObject({ status: "no_change", url });
  });

  test("works with the printed commands", async () => {
    const { output } = await cloud.call([...deployWords, ...optionWords]);
    const lines = output.split("\n").map((line) => line.trim());
    const curls = lines.filter((line) => line.startsWith("curl "));
    expect(curls).toHaveLength(2);
    for (const line of curls) {
      const environment = { PATH: process.env.PATH, DEPLOYCTL_KEY: key };
      const shell = ["-c", line.replace("curl ", "curl --silent --fail ")];
      const { stdout } = await promisify(execFile)("sh", shell, { env: environment });
      expect(stdout).toContain("served");
    }
  });
});

describe("modelctl as a sleeping app", () => {
  const request = { messages: question, temperature: 0, max_tokens: 24, stream: true } as const;

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
    expect(awake.data.data.map(({ id }) => id)).toContain("served:latest");
    await cloud.json(["apps", "scale", "tiny", "--keep-alive", "1s"]);
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
    const stream = openai.chat.completions.create({ ...request, model: "served" });
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
      .create({ ...request, model: "served" })
      .withResponse();
    expect(response.status).toBe(200);
    await expect(textOf(data)).rejects.toMatchObject({
      code: "startup_failed",
      error: { status: 503, message: expect.stringContaining(revision) },
    });
    expect(await lastRecord("startup_failed")).toMatchObject({ status: 503, method: "POST" });
  });
});

test("a model is not removed unasked while an app serves it", async () => {
  expect(await cloud.home.call(["rm", "served"])).toMatchObject({
    code: 5,
    errors: expect.stringContaining("'served' is served by local/tiny"),
  });
  expect(await cloud.home.call(["rm", "served", "--force"])).toMatchObject({ code: 0 });
});
