// Our own server as an app: four commands, then OpenAI's client, over HTTP and over HTTPS.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";
import { findFreePort } from "../support/command-line.ts";

const question = [{ role: "user" as const, content: "What is the capital of France?" }];

let cloud: CloudHome;
let key: string;
let url: string;

beforeAll(async () => {
  cloud = await CloudHome.create();
  expect(await cloud.json(["init", "--model", "tiny"])).toMatchObject({
    file: path.join(cloud.folder, "deploy.py"),
  });
  const deployed = await cloud.json<{ url: string }>(["deploy", "deploy.py", "--app-name", "tiny"]);
  url = deployed.url;
  key = await cloud.createKey();
});
afterAll(async () => await cloud.remove());

function client(baseUrl: string): OpenAI {
  return new OpenAI({
    baseURL: `${baseUrl}/v1`,
    apiKey: "unused",
    defaultHeaders: { Authorization: `Key ${key}` },
    maxRetries: 0,
  });
}

describe("modelctl behind the gateway", () => {
  test("lists its models", async () => {
    const models = await client(url).models.list();
    expect(models.data.map(({ id }) => id)).toContain("tiny:latest");
  });

  test("gives the same text whole and streamed", async () => {
    const openai = client(url);
    const request = { model: "tiny", messages: question, temperature: 0, max_tokens: 24 };
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
    expect(pieces).toBeGreaterThan(2);
  });

  test("passes errors through unchanged", async () => {
    const refused = client(url).chat.completions.create({ model: "no-such", messages: question });
    await expect(refused).rejects.toMatchObject({ status: 404 });
  });

  test("keeps its model from being removed unasked", async () => {
    await cloud.home.call(["cp", "tiny", "served"]);
    await cloud.json(["init", "--model", "served", "--file", "served.py"]);
    const words = ["deploy", "served.py", "--app-name", "served", "--keep-alive", "0"];
    await cloud.json(words);
    expect(await cloud.home.call(["rm", "served"])).toMatchObject({
      code: 5,
      errors: expect.stringContaining("'served' is served by local/served"),
    });
    expect(await cloud.home.call(["rm", "served", "--force"])).toMatchObject({ code: 0 });
    await cloud.json(["apps", "delete", "served"]);
  });

  test("is not deployed without its model, and says why", async () => {
    await cloud.json(["init", "--model", "mine", "--file", "mine.py"]);
    const words = ["deploy", "mine.py", "--app-name", "mine"];
    const { code, errors } = await cloud.call(words);
    expect({ code, errors }).toMatchObject({
      code: 6,
      errors: expect.stringContaining("model 'mine' not found"),
    });
  });

  test("is not used by modelctl as a local server", async () => {
    const { output } = await cloud.home.call(["ps"], { environment: { MODELCTL_HOST: "" } });
    expect(output).not.toContain("tiny");
  });

  test("refuses OpenAI's Bearer header and says which header it needs", async () => {
    const plain = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
    await expect(plain.models.list()).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining("Key"),
    });
  });

  test("stays unchanged when deployed again", async () => {
    const again = await cloud.json(["deploy", "deploy.py", "--app-name", "tiny"]);
    expect(again).toMatchObject({ status: "no_change", url });
  });

  test("works with the printed commands", async () => {
    const { output } = await cloud.call(["deploy", "deploy.py", "--app-name", "tiny"]);
    const lines = output.split("\n").map((line) => line.trim());
    const curls = lines.filter((line) => line.startsWith("curl "));
    expect(curls).toHaveLength(2);
    for (const line of curls) {
      const environment = { PATH: process.env.PATH, DEPLOYCTL_KEY: key };
      const shell = ["-c", line.replace("curl ", "curl --silent --fail ")];
      const { stdout } = await promisify(execFile)("sh", shell, { env: environment });
      expect(stdout).toContain("tiny");
    }
  });
});

describe("over HTTPS with a private certificate authority", () => {
  test("the app answers a client that trusts the authority and has a key", async () => {
    expect(await cloud.call(["down"])).toMatchObject({ code: 0 });
    const port = await findFreePort();
    const environment = { DEPLOYCTL_LISTEN: `127.0.0.1:${port}`, DEPLOYCTL_TLS: "self-signed" };
    await cloud.json(["up"], { environment });
    const { file } = await cloud.json<{ file: string }>(["tls", "trust"], { environment });
    const script = path.join(cloud.folder, "client.mjs");
    cloud.write(
      "client.mjs",
      `const [baseURL, key] = process.argv.slice(2);
const ask = async (headers) => await fetch(baseURL + "/chat/completions", {
  method: "POST",
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify({ model: "tiny", messages: ${JSON.stringify(question)}, temperature: 0, max_tokens: 24, stream: true }),
});
const events = (await (await ask({ authorization: "Key " + key })).text()).match(/(?<=^data: )\\{.*/gm);
const text = events.map((event) => JSON.parse(event).choices[0]?.delta.content ?? "").join("");
console.log(JSON.stringify({ text, refused: (await ask({})).status }));
`,
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script, `https://127.0.0.1:${port}/local/tiny/v1`, key],
      { env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: file } },
    );
    expect(JSON.parse(stdout)).toEqual({ text: expect.stringContaining("Paris"), refused: 401 });
    // A client that does not trust the authority fails.
    await expect(fetch(`https://127.0.0.1:${port}/_/healthz`)).rejects.toThrow();
  });
});
