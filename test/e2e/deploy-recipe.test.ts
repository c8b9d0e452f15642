// Unchanged recipe for fal: refused without its GPU, and served when no GPU is required.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";
import { repositoryFolder } from "../support/command-line.ts";

let cloud: CloudHome;

beforeAll(async () => {
  cloud = await CloudHome.create();
  cloud.installFakeServer("vllm");
  const recipe = path.join(repositoryFolder, "test/fixtures/cloud/recipe.py");
  copyFileSync(recipe, path.join(cloud.folder, "recipe.py"));
});
afterAll(async () => await cloud.remove());

const deploy = ["deploy", "recipe.py::serve", "--app-name", "lfm2-8b", "--auth", "private"];

describe("the recipe", () => {
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

  test("needs a GPU that is missing here: exit 9, saying what to do", async () => {
    const { code, output, errors } = await cloud.call([...deploy, "--json"]);
    expect(code, errors).toBe(9);
    expect(errors).toMatch(/Error: .*H100/);
    expect(errors).toContain("--machine-type any");
    expect(JSON.parse(output)).toMatchObject({ error: { exitCode: 9 } });
  });

  test("serves with --machine-type any and requires its key", async () => {
    const { code, output, errors } = await cloud.call([...deploy, "--machine-type", "any"], {
      environment: { MODEL_NAME: "other-maker/other-model" },
    });
    expect(code, errors).toBe(0);
    const url = `http://127.0.0.1:${cloud.gatewayPort}/local/lfm2-8b`;
    expect(output).toContain(url);
    expect(output).toContain("$DEPLOYCTL_KEY");
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
  });

  test("for Modal serves too, with the vLLM that is there", async () => {
    const example = path.join(repositoryFolder, "docs/examples/modal-vllm.py");
    const words = ["deploy", example, "--machine-type", "any", "--image-mode", "ignore"];
    const { code, errors } = await cloud.call(words);
    expect(code, errors).toBe(0);
    expect(errors).toContain("apt_install('git')");
    const key = await cloud.createKey("--app", "example-vllm");
    const url = `http://127.0.0.1:${cloud.gatewayPort}/local/example-vllm/v1/models`;
    const models = await fetch(url, { headers: { authorization: `Key ${key}` } });
    expect(await models.json()).toMatchObject({ data: [{ id: "Qwen/Qwen3-0.6B" }] });
  });

  test("names a missing program and how to install it, or where it is on the user's PATH", async () => {
    // A control plane keeps the PATH of the shell that started it.
    const bare = {
      PATH: process.env.PATH ?? "",
      DEPLOYCTL_STATE_DIR: path.join(cloud.folder, "other"),
      DEPLOYCTL_LISTEN: "127.0.0.1:0",
    };
    const words = [...deploy, "--machine-type", "any"];
    const missing = await cloud.call(words, { environment: bare });
    expect(missing.code, missing.errors).toBe(6);
    expect(missing.errors).toMatch(/Error: .*vllm/);
    expect(missing.errors).toContain("pip install vllm");
    const { PATH = "" } = cloud.environment;
    const here = await cloud.call(words, { environment: { ...bare, PATH } });
    expect(here.code).toBe(6);
    expect(here.errors).toContain(`add --env PATH="$PATH"`);
    const told = await cloud.call([...words, "--env", `PATH=${PATH}`], { environment: bare });
    expect(told.code, told.errors).toBe(0);
  });
});
