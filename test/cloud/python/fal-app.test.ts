// fal.App and served functions over HTTP, on the system's own Python.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningReplica, ScriptFolder } from "../../support/replica-runner.ts";

let folder: ScriptFolder;

beforeAll(() => {
  folder = new ScriptFolder();
});
afterAll(async () => await folder.remove());

const app = `
import asyncio, threading
import fal

class Refusal(Exception):
    status_code = 418
    detail = "a teapot"

class Base(fal.App):
    @fal.endpoint("/inherited")
    def inherited(self): return "from the base"

class MyApp(Base, keep_alive=30, max_concurrency=2):
    machine_type = "XS"

    def setup(self):
        self.greeting = "hello"
        self.gate = threading.Event()
        print("set up", flush=True)

    @fal.endpoint("/")
    def greet(self, name: str, times: int = 1) -> dict:
        return {"text": " ".join([self.greeting, name] * times)}

    @fal.endpoint("/later")
    async def later(self, parts: list) -> list:
        await asyncio.sleep(0)
        return [part.upper() for part in parts]

    @fal.endpoint("/stream")
    def stream(self, count: int):
        return ("data: %d\\n\\n" % number for number in range(count))

    @fal.endpoint("/fail")
    def fail(self):
        raise ValueError("a secret detail")

    @fal.endpoint("/refuse")
    def refuse(self):
        raise Refusal()

    @fal.endpoint("/unserialisable")
    def unserialisable(self):
        return object()

    @fal.endpoint("/slow")
    def slow(self):
        print("slow began", flush=True)
        self.gate.wait()
        return "finished"

    @fal.realtime("/live")
    def live(self, x: int): return x

    def handle_exit(self):
        print("exit handled", flush=True)
        self.gate.set()

    def teardown(self):
        print("torn down", flush=True)
`;

function post(replica: RunningReplica, pathName: string, body: unknown): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${replica.url}${pathName}`, { method: "POST", body: text });
}

describe("an app", () => {
  let replica: RunningReplica;

  beforeAll(async () => {
    replica = await folder.start(app, { target: "MyApp" });
    await replica.answer("/health");
  });

  test("is set up before its port opens, and reports its health", async () => {
    expect(replica.output).toContain("set up");
    const answer = await fetch(`${replica.url}/health`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
  });

  test.each([
    ["/", { name: "you" }, 200, { text: "hello you" }],
    ["/", { name: "you", times: 2 }, 200, { text: "hello you hello you" }],
    ["/later", { parts: ["a", "b"] }, 200, ["A", "B"]],
    ["/inherited", {}, 200, "from the base"],
    ["/refuse", {}, 418, { detail: "a teapot" }],
    ["/fail", {}, 500, { detail: "Internal Server Error" }],
    ["/unserialisable", {}, 500, { detail: "Internal Server Error" }],
    ["/nowhere", {}, 404, { detail: "Not Found" }],
    ["/live", { x: 1 }, 501, { detail: "/live needs fastapi and uvicorn" }],
    ["/", {}, 422, { detail: [{ loc: ["body", "name"], msg: "Field required", type: "missing" }] }],
    [
      "/",
      { name: "a", size: 1 },
      422,
      { detail: [{ loc: ["body", "size"], msg: "unknown field", type: "extra" }] },
    ],
    [
      "/",
      [1],
      422,
      { detail: [{ loc: ["body"], msg: "the body is not a JSON object", type: "dict_type" }] },
    ],
  ])("POST %s %j: %i", async (pathName, body, status, expected) => {
    const answer = await post(replica, pathName, body);
    expect([answer.status, await answer.json()]).toEqual([status, expected]);
  });

  test("logs the reasons of its failures", async () => {
    const answer = await post(replica, "/fail", {});
    expect(await answer.text()).not.toContain("secret");
    await replica.printed("ValueError: a secret detail");
  });

  test("streams the values of a generator", async () => {
    const answer = await post(replica, "/stream", { count: 3 });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toBe("data: 0\n\ndata: 1\n\ndata: 2\n\n");
  });

  test("refuses a body that is not JSON, and an unknown method", async () => {
    expect((await post(replica, "/", "{")).status).toBe(422);
    const answer = await fetch(`${replica.url}/`);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("finishes running requests when it is stopped, then tears down", async () => {
    const slow = post(replica, "/slow", {});
    await replica.printed("slow began");
    replica.kill("SIGTERM");
    expect(await (await slow).json()).toBe("finished");
    expect(await replica.ended).toBe(143);
    const order = ["terminating", "exit handled", "torn down"].map((text) =>
      replica.output.indexOf(text),
    );
    expect(order.every((place) => place > 0)).toBe(true);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });
});

test("a function with serve=True answers at the root", async () => {
  const replica = await folder.start(
    `
import fal
@fal.function(serve=True)
def double(x: int): return {"twice": 2 * x}
`,
    { target: "double" },
  );
  await replica.answer("/health");
  expect(await (await post(replica, "/", { x: 4 })).json()).toEqual({ twice: 8 });
});

test("pydantic models are read and written if the script's Python has pydantic", async () => {
  // Replaces pydantic by two classes with its names, which are all that the code uses.
  const pydantic = `
class BaseModel:
    def __init__(self, **fields): self.__dict__.update(fields)
    @classmethod
    def model_validate(cls, fields):
        if not isinstance(fields.get("prompt"), str):
            error = ValueError("invalid")
            error.errors = lambda: [{"loc": ("prompt",), "msg": "a text is wanted", "type": "string"}]
            raise error
        return cls(**fields)
    def model_dump(self, mode): return dict(self.__dict__)
`;
  const replica = await folder.start(
    `
import fal
from models import BaseModel
class Input(BaseModel): pass
class Output(BaseModel): pass
class Echo(fal.App):
    @fal.endpoint("/")
    def run(self, input: Input) -> Output: return Output(prompt=input.prompt, n=[Output(x=1)])
`,
    { target: "Echo", files: { "models.py": pydantic } },
  );
  await replica.answer("/health");
  expect(await (await post(replica, "/", { prompt: "a" })).json()).toEqual({
    prompt: "a",
    n: [{ x: 1 }],
  });
  const refused = await post(replica, "/", { prompt: 1 });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toEqual({
    detail: [{ loc: ["body", "prompt"], msg: "a text is wanted", type: "string" }],
  });
});

test.each([
  ["has no endpoint", "class Empty(fal.App): pass", "Empty has no endpoint"],
  [
    "fails in its setup",
    "class Empty(fal.App):\n    def setup(self): raise RuntimeError('no weights')\n    @fal.endpoint('/')\n    def run(self): pass",
    "RuntimeError: no weights",
  ],
])("an app that %s ends with the reason", async (_what, text, sentence) => {
  const replica = await folder.start(`import fal\n${text}\n`, { target: "Empty" });
  expect(await replica.ended).toBe(70);
  expect((await replica.told("failed")).sentence).toContain(sentence);
});
