// fal.App served by FastAPI, where the script requires it.
import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { fastapiPython } from "../../support/fastapi-environment.ts";
import { type RunningReplica, ScriptFolder } from "../../support/replica-runner.ts";

const app = `
import fal
from pydantic import BaseModel

class Input(BaseModel):
    prompt: str
    times: int = 1

class Output(BaseModel):
    text: str

class MyApp(fal.App, keep_alive=30):
    requirements = ["fastapi", "uvicorn", "websockets"]

    def setup(self):
        self.greeting = "hello"

    @fal.endpoint("/")
    def greet(self, input: Input) -> Output:
        return Output(text=" ".join([self.greeting, input.prompt] * input.times))

    @fal.endpoint("/plain")
    def plain(self, name: str, times: int = 1):
        return {"text": name * times}

    @fal.endpoint("/later")
    async def later(self, input: Input) -> Output:
        return Output(text=input.prompt.upper())

    @fal.endpoint("/version")
    def version(self):
        import fastapi
        return fastapi.__version__

    @fal.endpoint("/stream")
    def stream(self, count: int):
        return ("data: %d\\n\\n" % number for number in range(count))

    @fal.endpoint("/ticks")
    async def ticks(self):
        async def each():
            for number in range(2):
                yield "data: tick %d\\n\\n" % number
        return each()

    @fal.endpoint("/refuse")
    def refuse(self):
        from fastapi import HTTPException
        raise HTTPException(418, "a teapot")

    @fal.endpoint("/fail")
    def fail(self):
        raise ValueError("a secret detail")

    @fal.realtime("/live")
    def live(self, input: Input) -> Output:
        return Output(text=input.prompt * input.times)

    def handle_exit(self):
        print("exit handled", flush=True)

    def teardown(self):
        print("torn down", flush=True)
`;

let folder: ScriptFolder;
let program: string | undefined;
let replica: RunningReplica;

beforeAll(async () => {
  folder = new ScriptFolder();
  program = await fastapiPython();
  if (program === undefined) return;
  replica = await folder.start(app, { target: "MyApp", program });
  await replica.answer("/health");
}, 200_000);
afterAll(async () => await folder.remove());

beforeEach(({ skip }) => {
  if (program === undefined) skip("no index of Python packages can be reached");
});

function post(pathName: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(replica.url + pathName, { method: "POST", body: JSON.stringify(body), headers });
}

describe("an app on FastAPI", () => {
  test.each([
    ["/", { prompt: "you" }, 200, { text: "hello you" }],
    ["/", { prompt: "you", times: 2 }, 200, { text: "hello you hello you" }],
    ["/plain", { name: "ab", times: 2 }, 200, { text: "abab" }],
    ["/later", { prompt: "abc" }, 200, { text: "ABC" }],
    ["/refuse", {}, 418, { detail: "a teapot" }],
    ["/nowhere", {}, 404, { detail: "Not Found" }],
    [
      "/plain",
      {},
      422,
      { detail: [{ loc: ["body", "name"], msg: "Field required", type: "missing" }] },
    ],
  ])("POST %s %j: %i", async (pathName, body, status, expected) => {
    const answer = await post(pathName, body);
    expect([answer.status, await answer.json()]).toEqual([status, expected]);
  });

  test("describes its endpoints", async () => {
    const version = await (await fetch(`${replica.url}/version`)).json();
    expect(version).toMatch(/^0\.\d+/);
    const description = await (await fetch(`${replica.url}/openapi.json`)).json();
    expect(Object.keys(description.paths)).toEqual(expect.arrayContaining(["/", "/plain"]));
    expect(replica.errors).not.toContain("Duplicate Operation ID");
  });

  test("names the wrong field of a model", async () => {
    const answer = await post("/", { prompt: 1 });
    expect(answer.status).toBe(422);
    const { detail } = await answer.json();
    expect(detail).toMatchObject([{ loc: ["body", "prompt"], type: "string_type" }]);
  });

  test("logs the reasons of its failures", async () => {
    const answer = await post("/fail", {});
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret");
    await replica.printed("ValueError: a secret detail");
  });

  test.each([
    ["/stream", { count: 2 }, "data: 0\n\ndata: 1\n\n"],
    ["/ticks", {}, "data: tick 0\n\ndata: tick 1\n\n"],
  ])("streams the values of a generator: %s", async (pathName, body, text) => {
    const answer = await post(pathName, body);
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    expect(await answer.text()).toBe(text);
  });

  test("serves a WebSocket", async () => {
    const socket = new WebSocket(`${replica.url.replace("http", "ws")}/live`);
    const replies: unknown[] = [];
    await once(socket, "open");
    for (const message of [{ prompt: "ab", times: 2 }, { times: 1 }]) {
      socket.send(JSON.stringify(message));
      const [data] = await once(socket, "message");
      replies.push(JSON.parse(String(data)));
    }
    socket.close();
    expect(replies[0]).toEqual({ text: "abab" });
    expect(replies[1]).toMatchObject({ error: [{ loc: ["body", "prompt"] }] });
  });

  test("handles its exit and is torn down on request", async () => {
    replica.kill("SIGTERM");
    await replica.ended;
    const order = ["exit handled", "torn down"].map((text) => replica.output.indexOf(text));
    expect(order.every((place) => place > 0)).toBe(true);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });
});
