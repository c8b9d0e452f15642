// Scripts that are deployed: unchanged recipes, and errors with reasons and exit codes, in which the running
// app stays.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { repositoryFolder } from "../support/command-line.ts";

let cloud: CloudHome;

beforeAll(async () => {
  cloud = await CloudHome.create();
});
afterAll(async () => await cloud.remove());

async function deploy(reference: string, ...words: string[]) {
  return await cloud.call(["deploy", reference, "--app-name", "app", ...words]);
}

const head = "import deployctl\n\n\n@deployctl.app(port=8000)\ndef serve():\n";

describe("a recipe", () => {
  const words = ["deploy", "recipe.py::serve", "--app-name", "lfm2-8b", "--auth", "private"];

  beforeAll(() => {
    const recipe = path.join(repositoryFolder, "test/fixtures/cloud/recipe.py");
    copyFileSync(recipe, path.join(cloud.folder, "recipe.py"));
  });

  test("is inspected without running it", async () => {
    const found = await cloud.json(["inspect", "recipe.py::serve"]);
    expect(found).toMatchObject({
      schema: 1,
      target: "serve",
      dialect: "fal",
      config: { kind: "container", exposed_port: 8000, machine_type: "GPU-H100", num_gpus: 1 },
      env_read: [{ name: "MODEL_NAME", default: "some-maker/some-model-8B" }],
      executables: ["vllm"],
    });
  });

  test("names a missing program and how to install it, or where it is on the user's PATH", async () => {
    // A control plane keeps the PATH of the shell that started it.
    const missing = await cloud.call([...words, "--machine-type", "any"]);
    expect(missing.code, missing.errors).toBe(6);
    expect(missing.errors).toMatch(/Error: .*vllm/);
    expect(missing.errors).toContain("pip install vllm");
    const elsewhere = path.join(cloud.folder, "elsewhere");
    cloud.installFakeServer("vllm", elsewhere);
    const PATH = `${elsewhere}:${cloud.environment.PATH}`;
    const here = await cloud.call([...words, "--machine-type", "any"], { environment: { PATH } });
    expect(here.code).toBe(6);
    expect(here.errors).toContain(`add --env PATH="$PATH"`);
    const told = await cloud.call([...words, "--machine-type", "any", "--env", `PATH=${PATH}`]);
    expect(told.code, told.errors).toBe(0);
    cloud.installFakeServer("vllm");
  });

  test("needs a GPU that is missing here: exit 9, saying what to do", async () => {
    const { code, output, errors } = await cloud.call([...words, "--json"]);
    expect(code, errors).toBe(9);
    expect(errors).toMatch(/Error: .*H100/);
    expect(errors).toContain("--machine-type any");
    expect(JSON.parse(output)).toMatchObject({ error: { exitCode: 9 } });
  });

  test("serves with --machine-type any and requires its key", async () => {
    const { code, output, errors } = await cloud.call([...words, "--machine-type", "any"], {
      environment: { MODEL_NAME: "other-maker/other-model" },
    });
    expect(code, errors).toBe(0);
    const url = `http://127.0.0.1:${cloud.gatewayPort}/local/lfm2-8b`;
    expect(output).toContain(url);
    expect(output).toContain("$DEPLOYCTL_KEY");
    expect(output).toContain("default_headers");
    expect(output).toContain("defaultHeaders");
    expect(output).toContain("other-maker/other-model");
    const key = await cloud.createKey("--app", "lfm2-8b");
    const models = await fetch(`${url}/v1/models`, { headers: { authorization: `Key ${key}` } });
    expect(await models.json()).toMatchObject({ data: [{ id: "other-maker/other-model" }] });
    const chat = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Key ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Hello!" }], max_tokens: 3 }),
    });
    expect(chat.status).toBe(200);
    for (const [headers, type] of [
      [{}, "auth_missing"],
      [{ authorization: `Bearer ${key}` }, "auth_scheme"],
      [{ authorization: `Key ${key}x` }, "auth_invalid"],
    ] as const) {
      const refused = await fetch(`${url}/v1/models`, { headers });
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error_type: type });
    }
    const baseURL = `${url}/v1`;
    const unaware = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
    await expect(unaware.models.list()).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('defaultHeaders: { Authorization: "Key <token>" }'),
    });
    const client = new OpenAI({
      ...{ baseURL, apiKey: "unused", maxRetries: 0 },
      defaultHeaders: { Authorization: `Key ${key}` },
    });
    const answer = await client.chat.completions.create({
      ...{ model: "other-maker/other-model", max_tokens: 3 },
      messages: [{ role: "user", content: "Hello!" }],
    });
    expect(answer.choices[0]?.message.content).not.toBe("");
  });

  test("for Modal serves too, with the vLLM that is there", async () => {
    const example = path.join(repositoryFolder, "docs/examples/modal-vllm.py");
    const { code, errors } = await cloud.call([
      ...["deploy", example, "--machine-type", "any", "--image-mode", "ignore"],
    ]);
    expect(code, errors).toBe(0);
    expect(errors).toContain("apt_install('git')");
    const key = await cloud.createKey("--app", "example-vllm");
    const url = `http://127.0.0.1:${cloud.gatewayPort}/local/example-vllm/v1/models`;
    const models = await fetch(url, { headers: { authorization: `Key ${key}` } });
    expect(await models.json()).toMatchObject({ data: [{ id: "Qwen/Qwen3-0.6B" }] });
  });
});

describe("an unreadable script", () => {
  test("does not exist: exit 2, naming the file", async () => {
    const { code, errors } = await deploy("nowhere.py::serve");
    expect(code, errors).toBe(2);
    expect(errors).toContain("nowhere.py");
  });

  test("has no such function: exit 2, listing its functions", async () => {
    cloud.write("app.py", fakeServerScript());
    const { code, errors } = await deploy("app.py::missing");
    expect(code, errors).toBe(2);
    expect(errors).toContain("missing");
    expect(errors).toContain("serve");
  });

  test("is not Python: exit 2 with file, line and source line", async () => {
    cloud.write(
      "broken.py",
      "import deployctl\n\n@deployctl.app(port=8000)\ndef serve(:\n    pass\n",
    );
    const { code, errors } = await deploy("broken.py::serve");
    expect(code, errors).toBe(2);
    expect(errors).toContain("broken.py:4");
    expect(errors).toContain("def serve(:");
  });

  test.each([["Upper_Case"], ["../etc"]])("gets the invalid app name %s", async (name) => {
    cloud.write("app.py", fakeServerScript());
    const { code, errors } = await cloud.call(["deploy", "app.py", `--app-name=${name}`]);
    expect(code, errors).toBe(2);
    expect(errors).toMatch(/^Error: /m);
  });
});

describe("a script that fails to start, after one that works", () => {
  let url: string;
  let key: string;
  let revision: unknown;

  beforeAll(async () => {
    cloud.write("app.py", fakeServerScript());
    const first = await cloud.json<{ url: string; revision: string }>([
      ...["deploy", "app.py::serve", "--app-name", "app"],
    ]);
    url = first.url;
    revision = first.revision;
    key = await cloud.createKey();
  });

  /** Checks that the previous revision still runs. */
  async function expectOldOne(): Promise<void> {
    const { activeRevision } = await cloud.json(["apps", "show", "app"]);
    expect(activeRevision).toBe(revision);
    const reply = await fetch(`${url}/v1/models`, { headers: { authorization: `Key ${key}` } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-dctl-revision")).toBe(revision);
  }

  test("it raises: exit 6 with the reason, and the command that shows the log", async () => {
    cloud.write("app.py", `${head}    raise ValueError("out of milk")\n`);
    const { code, output: address, errors } = await deploy("app.py::serve");
    expect(code, errors).toBe(6);
    expect(errors).toMatch(/^Error: /m);
    expect(errors).toContain("out of milk");
    expect(address).toBe("");
    const [, words = ""] =
      /stays active\. Run `deployctl (logs .*)` for its log\.$/m.exec(errors) ?? [];
    const { output } = await cloud.call(words.split(" "));
    expect(output, errors).toContain("ValueError: out of milk");
    expect(output).not.toContain("is ready after");
    await expectOldOne();
  });

  test("never opens its port: exit 7 after the start-up timeout", async () => {
    cloud.write(
      "app.py",
      `import time\n${head}    print("thinking", flush=True)\n    time.sleep(600)\n`,
    );
    const { code, errors } = await deploy("app.py::serve", "--startup-timeout", "2s");
    expect(code, errors).toBe(7);
    expect(errors).toContain("thinking");
    await expectOldOne();
  });

  test("fails its smoke test: exit 6", async () => {
    cloud.write("app.py", `# another revision\n${fakeServerScript()}`);
    const { code, errors } = await deploy("app.py::serve", "--smoke", "GET /status/418");
    expect(code, errors).toBe(6);
    expect(errors).toContain("418");
    await expectOldOne();
  });

  test("it imports a missing module: exit 6 with the reason, also in JSON", async () => {
    cloud.write("app.py", `import no_such_module\n${head}    pass\n`);
    const { code, output, errors } = await deploy("app.py::serve", "--json");
    expect(code, errors).toBe(6);
    expect(errors).toMatch(/^Error: .*no_such_module/m);
    await expectOldOne();
    const { error } = JSON.parse(output) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code: expect.stringMatching(/^CLOUD_/), exitCode: 6 });
  });
});

describe("invalid arguments", () => {
  test.each([
    [["apps", "show", "nobody"], 3],
    [["rollback", "nobody"], 3],
    [["apps", "delete", "nobody"], 3],
    [["keys", "revoke", "nobody"], 3],
    [["runners", "kill", "nobody"], 3],
    [["runners", "logs", "nobody"], 3],
    [["keys", "create"], 2],
    [["apps", "scale", "app"], 2],
    [["status", "--profile", "nobody"], 3],
    [["status", "--server", "http://127.0.0.1:1", "--key", "dk_x"], 8],
    [["status", "--server", "http://127.0.0.1:1"], 4],
    [["status", "--state-dir", "/nowhere/at/all"], 8],
  ])("%j: exit %i, one sentence, empty standard output", async (words, expected) => {
    const { code, output, errors } = await cloud.call(words);
    expect(code, errors).toBe(expected);
    expect(output).toBe("");
    expect(errors).toMatch(/^Error: .+\n$/);
  });
});

describe("an engine that cannot be used", () => {
  test.each([
    [["ray"], 2, "needs --address"],
    [["ray", "--address", "10.0.0.5:8265"], 2, "is not a web address"],
    [["ray", "--address", "http://127.0.0.1:1"], 2, "needs --token-file"],
    [["moon"], 2, "There is no engine 'moon'"],
    // The server of the tests above is running.
    [["process"], 5, "The server is running"],
  ])("%j: exit %i", async (words, expected, sentence) => {
    await cloud.call(["up"]);
    const { code, errors } = await cloud.call(["engine", "use", ...words]);
    expect(code, errors).toBe(expected);
    expect(errors).toContain(sentence);
  });

  test("ends the start of the server with the reason", async () => {
    const other = await CloudHome.create();
    try {
      mkdirSync(other.stateFolder, { recursive: true, mode: 0o700 });
      writeFileSync(path.join(other.stateFolder, "engine.json"), "{");
      const { code, errors } = await other.call(["up"]);
      expect(code, errors).toBe(2);
      expect(errors).toContain("engine.json is damaged");
      await other.call(["engine", "use", "process"]);
      expect(await other.json(["up"])).toMatchObject({ started: true });
    } finally {
      await other.remove();
    }
  });
});
