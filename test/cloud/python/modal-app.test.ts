// Scripts for Modal in replicas, on the system's own Python and on one with FastAPI.
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { repositoryFolder } from "../../support/command-line.ts";
import { fastapiPython } from "../../support/fastapi-environment.ts";
import { type RunningReplica, ScriptFolder } from "../../support/replica-runner.ts";

const examples = path.join(repositoryFolder, "docs/examples");
let folder: ScriptFolder;

beforeAll(() => {
  folder = new ScriptFolder();
});
afterAll(async () => await folder.remove());

function post(replica: RunningReplica, pathName: string, body: unknown = {}): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${replica.url}${pathName}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers,
  });
}

test("a function that starts vLLM returns, and the replica serves", async () => {
  const programs = path.join(folder.path, "bin");
  mkdirSync(programs);
  const fakeServer = path.join(repositoryFolder, "test/fixtures/cloud/fake-server.py");
  copyFileSync(fakeServer, path.join(programs, "vllm"));
  chmodSync(path.join(programs, "vllm"), 0o755);
  const replica = await folder.startFile(path.join(examples, "modal-vllm.py"), {
    environment: { PATH: `${programs}:${process.env.PATH}`, MODEL_NAME: "acme/model" },
  });
  const models = await replica.answer("/v1/models");
  expect(await models.json()).toMatchObject({ data: [{ id: "acme/model" }] });
  expect(replica.event("returned")).toBeDefined();
});

describe("a class without web endpoint", () => {
  let replica: RunningReplica;

  beforeAll(async () => {
    replica = await folder.start(
      `
import os
import modal
app = modal.App("models", secrets=[modal.Secret.from_dict({"GREETING": "hello"})])

@app.function()
def shout(text): return text.upper()

@app.cls(gpu="H100")
class Model:
    size: int = modal.parameter(default=2)

    @modal.enter(snap=True)
    def first(self): print("entered first", flush=True)

    @modal.enter()
    async def load(self): self.text = os.environ["GREETING"] * self.size

    @modal.method()
    def greet(self, name: str): return shout.remote(self.text + " " + name)

    @modal.method()
    def each(self, names: list): return list(shout.map(names))

    @modal.method()
    def other(self, size: int): return Model(size=size).greet.remote("x")

    @modal.method()
    def stream(self, count: int):
        for number in range(count):
            yield "data: %d\\n\\n" % number

    @modal.batched(max_batch_size=4, wait_ms=100)
    def doubled(self, x): return [2 * one for one in x]

    @modal.method()
    def far(self): return modal.Function.from_name("a", "b").remote()

    def helper(self): return "not served"

    @modal.exit()
    def leave(self): print("left", flush=True)
`,
      { target: "Model" },
    );
    await replica.answer("/health");
  });

  test.each([
    ["/greet", { name: "you" }, 200, "HELLOHELLO YOU"],
    ["/each", { names: ["a", "b"] }, 200, ["A", "B"]],
    ["/other", { size: 1 }, 200, "HELLO X"],
    ["/doubled", { x: 4 }, 200, 8],
    ["/helper", {}, 404, { detail: "Not Found" }],
    ["/far", {}, 500, { detail: "Internal Server Error" }],
  ])("POST %s %j: %i", async (pathName, body, status, expected) => {
    const answer = await post(replica, pathName, body);
    expect([answer.status, await answer.json()]).toEqual([status, expected]);
  });

  test("streams what a generator yields", async () => {
    const answer = await post(replica, "/stream", { count: 2 });
    expect(await answer.text()).toBe("data: 0\n\ndata: 1\n\n");
  });

  test("is entered before it serves, and left when it ends", async () => {
    expect(replica.output).toContain("entered first");
    replica.kill("SIGTERM");
    await replica.ended;
    expect(replica.output).toContain("left");
  });
});

test("a class can start its server by @app.server, and ends it when it is left", async () => {
  const replica = await folder.start(
    `
import subprocess, sys, modal
app = modal.App()
@app.server(port=8000, routing_region="us-east")
class Files:
    @modal.enter()
    def start(self):
        self.process = subprocess.Popen([sys.executable, "-m", "http.server", "8000"])
    @modal.exit()
    def stop(self):
        print("stopping", flush=True)
        self.process.terminate()
`,
    { target: "Files" },
  );
  expect((await replica.answer()).status).toBe(200);
  replica.kill("SIGTERM");
  await replica.ended;
  expect(replica.output).toContain("stopping");
});

test("a WSGI app is served without any package", async () => {
  const replica = await folder.start(`
import modal
app = modal.App()
@app.function()
@modal.wsgi_app()
def serve():
    def web(environment, start):
        start("200 OK", [("Content-Type", "text/plain")])
        return [environment["PATH_INFO"].encode()]
    return web
`);
  const answer = await replica.answer("/a/b");
  expect(await answer.text()).toBe("/a/b");
});

test("an endpoint of FastAPI says which package is missing", async () => {
  const replica = await folder.start(
    "import sys, modal\nsys.modules['fastapi'] = None\napp = modal.App()\n@app.function()\n@modal.fastapi_endpoint()\ndef serve(): pass\n",
  );
  expect(await replica.ended).toBe(68);
  expect((await replica.told("failed")).sentence).toContain("pip_install('fastapi[standard]')");
});

describe("with FastAPI", () => {
  let program: string | undefined;

  beforeAll(async () => {
    program = await fastapiPython();
  }, 200_000);
  beforeEach(({ skip }) => {
    if (program === undefined) skip("no index of Python packages can be reached");
  });

  test("an app that a class returns is served in the loop of its hooks", async () => {
    const replica = await folder.startFile(path.join(examples, "modal-fastapi.py"), {
      target: "Counter",
      ...(program !== undefined && { program }),
    });
    expect(await (await replica.answer()).json()).toEqual({ count: 10 });
    expect(await (await post(replica, "/add/5")).json()).toEqual({ count: 15 });
    replica.kill("SIGTERM");
    await replica.ended;
    expect(replica.output).toContain("counted to 15");
  });

  test("endpoints take queries and bodies as FastAPI does, and answer other origins", async () => {
    const replica = await folder.start(
      `
import modal
from pydantic import BaseModel
app = modal.App()
class Item(BaseModel):
    name: str
@app.cls()
class Web:
    @modal.fastapi_endpoint(docs=True)
    def square(self, x: int): return {"square": x * x}
    @modal.fastapi_endpoint(method="POST")
    async def greet(self, item: Item): return "hello " + item.name
`,
      { target: "Web", ...(program !== undefined && { program }) },
    );
    const answer = await replica.answer("/square?x=4", { headers: { origin: "http://a.example" } });
    expect(await answer.json()).toEqual({ square: 16 });
    expect(answer.headers.get("access-control-allow-origin")).toBeTruthy();
    expect((await replica.answer("/square?x=four")).status).toBe(422);
    expect(await (await post(replica, "/greet", { name: "you" })).json()).toBe("hello you");
    expect((await replica.answer("/docs")).status).toBe(200);
  });
});
