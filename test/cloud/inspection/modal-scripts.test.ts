// Scripts for Modal, read without running them, and their configuration.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configFrom } from "../../../source/cloud/inspection/config-from.ts";
import { inspectScript } from "../../../source/cloud/inspection/inspect-script.ts";
import type { Inspection } from "../../../source/cloud/inspection/inspection.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { readScripts } from "../support/read-scripts.ts";

const examples = path.join(repositoryFolder, "docs/examples");
const { PATH = "" } = process.env;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-modal-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const head = 'import modal\napp = modal.App("my-app")\n';

async function read(text: string, target?: string, isStatic = true): Promise<Inspection> {
  const file = path.join(folder, "deploy.py");
  writeFileSync(file, `${head}${text}\n`);
  return await inspectScript(file, target, { isStatic, environment: { PATH } });
}

test("reads a vLLM server completely", async () => {
  const found = await inspectScript(path.join(examples, "modal-vllm.py"), undefined, {
    isStatic: true,
    environment: { PATH },
  });
  expect(found).toMatchObject({
    target: "serve",
    kind: "function",
    dialect: "modal",
    dynamic: [],
    executables: ["vllm"],
    command: ["vllm", "serve", "Qwen/Qwen3-0.6B", "--host", "0.0.0.0", "--port", "8000"],
    image: {
      base: "nvidia/cuda:12.8.0-devel-ubuntu22.04",
      env: { HF_XET_HIGH_PERFORMANCE: "1" },
      pip: ["vllm==0.13.0", "huggingface-hub==0.36.0"],
      ignored: ["python_version='3.12'", "apt_install('git')"],
    },
  });
  expect(found.warnings.map(({ code }) => code)).toEqual(["keywords_ignored", "image_ignored"]);
  expect(found.warnings[1]?.sentence).toContain("apt_install('git')");
  expect(configFrom(found)).toMatchObject({
    kind: "function",
    exposedPort: 8000,
    hardware: { machineType: "GPU-H100", gpuCount: 1 },
    scale: { maxConcurrency: 2, maxMultiplexing: 32, keepAliveMs: 900_000 },
    // The limits of the container's start and of its web server's.
    limits: { requestTimeoutMs: 600_000, startupTimeoutMs: 1_200_000 },
    requirements: ["vllm==0.13.0", "huggingface-hub==0.36.0"],
  });
  expect(configFrom(found, { imageMode: "ignore" }).requirements).toEqual([]);
});

test("chooses a class by its web endpoint and reads its methods' decorators", async () => {
  const found = await inspectScript(path.join(examples, "modal-fastapi.py"), undefined, {
    isStatic: true,
    environment: { PATH },
  });
  expect(found).toMatchObject({ target: "Counter", kind: "app", dialect: "modal", dynamic: [] });
  expect(found.warnings).toEqual([]);
  expect(configFrom(found)).toMatchObject({
    kind: "app",
    scale: { maxMultiplexing: 100, keepAliveMs: 300_000 },
    // Modal's containers include a server.
    requirements: ["fastapi==0.121.3", "uvicorn==0.38.0", "uvicorn"],
  });
});

test("serves functions and methods without a web endpoint as JSON", () => {
  const text = `
@app.function()
def double(x: int): return 2 * x
@app.cls()
class Model:
    @modal.method()
    def run(self, x): return x
    def helper(self): pass
@app.function()
@modal.fastapi_endpoint(method="POST", docs=True)
def web(x: int): return double.remote(x)
@app.local_entrypoint()
def main(): pass
`;
  const targets = [undefined, "web", "double", "Model"];
  const documents = readScripts(
    targets.map((target) => ({ text: head + text, ...(target !== undefined && { target }) })),
  );
  expect(documents.map(({ target, endpoints }) => [target, endpoints])).toEqual([
    ["web", [{ path: "/", method: "POST" }]],
    ["web", [{ path: "/", method: "POST" }]],
    ["double", [{ path: "/", method: "POST" }]],
    ["Model", [{ path: "/run", method: "POST" }]],
  ]);
});

const functions: [keywords: string, config: object][] = [
  ["gpu=['H100', 'A100-80GB:2']", { hardware: { machineType: "GPU-H100", gpuCount: 1 } }],
  ["gpu='any'", { hardware: { machineType: "GPU", gpuCount: 1 } }],
  ["gpu='H100!:2'", { hardware: { machineType: "GPU-H100", gpuCount: 2 } }],
  ["gpu=None, timeout=60", { limits: { requestTimeoutMs: 60_000, startupTimeoutMs: 60_000 } }],
  ["min_containers=1, buffer_containers=2", { scale: { minConcurrency: 1, concurrencyBuffer: 2 } }],
  ["keep_warm=1, concurrency_limit=3", { scale: { minConcurrency: 1, maxConcurrency: 3 } }],
  ["env={'A': 'b', 'C': None}", { environment: { A: "b" } }],
  [
    "secrets=[modal.Secret.from_name('hf', required_keys=['HF_TOKEN'])]",
    { secretNames: ["HF_TOKEN"] },
  ],
];
const documents = readScripts(
  functions.map(([keywords]) => ({
    text: `${head}@app.function(${keywords})\n@modal.asgi_app()\ndef serve(): pass\n`,
  })),
);

test.each(functions.map((row, index) => [...row, documents[index]] as const))(
  "@app.function(%s)",
  (_keywords, config, found) => {
    if (found === undefined) throw new Error("it was not read");
    expect(found.dynamic).toEqual([]);
    expect(configFrom(found)).toMatchObject(config);
  },
);

test("turns target_inputs into a share of max_inputs", async () => {
  const text =
    "@app.function()\n@modal.concurrent(max_inputs=50, target_inputs=40)\n@modal.asgi_app()";
  const { scale } = configFrom(await read(`${text}\ndef serve(): pass`));
  expect(scale).toMatchObject({ maxMultiplexing: 50, targetUtilization: 0.8 });
});

test("warns about ignored keywords, unknown keywords and unknown secrets", async () => {
  const found = await read(`
@app.function(cpu=4, regions="eu", retries=modal.Retries(max_retries=2),
              secrets=[modal.Secret.from_name("huggingface")])
@modal.asgi_app(label="a")
def serve(): pass`);
  expect(found.warnings.map(({ code, sentence }) => [code, sentence])).toEqual([
    ["keywords_ignored", "cpu, retries, label have no effect here."],
    ["keyword_unknown", expect.stringMatching(/Unknown keyword regions is ignored/)],
    ["secret_unknown", expect.stringMatching(/secret huggingface .*deployctl secrets set/)],
  ]);
});

test.each(["block_network=True", "single_use_containers=True", "max_inputs=1"])(
  "%s is refused",
  async (keyword) => {
    await expect(
      read(`@app.function(${keyword})\n@modal.asgi_app()\ndef serve(): pass`),
    ).rejects.toMatchObject({ code: "CLOUD_SCRIPT_INVALID", message: /is not supported: / });
  },
);

test("reads a computed image in the sandbox", async () => {
  const found = await read(
    `
NAMES = (lambda: ["torch", "numpy"])()
image = modal.Image.debian_slim().pip_install(*NAMES).run_commands("make")
@app.function(image=image)
@modal.wsgi_app()
def serve(): pass`,
    undefined,
    false,
  );
  expect(found.dynamic).toEqual([]);
  expect(found.image).toMatchObject({ pip: ["torch", "numpy"], ignored: ["RUN make"] });
});

test("reads requirements files next to the script", async () => {
  writeFileSync(path.join(folder, "needs.txt"), "# of the model\ntorch==2.9.1 # pinned\n-f x\n\n");
  const found = await read(`
image = modal.Image.debian_slim().pip_install_from_requirements("needs.txt")
image = image.pip_install("a; python_version > '3'", index_url="https://example.org/simple")
@app.function(image=image)
@modal.wsgi_app()
def serve(): pass`);
  expect(found.image).toMatchObject({
    pip: ["torch==2.9.1", "a; python_version > '3'"],
    ignored: ["-f x of needs.txt", "pip_install(index_url='https://example.org/simple')"],
  });
});
