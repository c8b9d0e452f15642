// The client of our own API: valid and broken replies.
import { createServer, type RequestListener } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { ApiClient } from "../../source/client/api-client.ts";
import type { ChatEvent } from "../../source/client/chat-events.ts";

async function clientOf(listener: RequestListener): Promise<ApiClient> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return new ApiClient({ url: `http://127.0.0.1:${port}`, ownerToken: "secret", key: "k" });
}

async function eventsOf(client: ApiClient, signal?: AbortSignal): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  const options = { model: "tiny", ...(signal !== undefined && { signal }) };
  for await (const event of client.chat([{ role: "user", content: "Hi" }], options)) {
    events.push(event);
  }
  return events;
}

/** Starts a server that answers with these lines and then ends, or breaks the connection. */
const lines =
  (records: unknown[], end: "end" | "break" = "end"): RequestListener =>
  (_request, reply) => {
    reply.writeHead(200, { "content-type": "application/x-ndjson" });
    for (const record of records) reply.write(`${JSON.stringify(record)}\n`);
    if (end === "end") reply.end();
    else setImmediate(() => reply.destroy());
  };

const piece = (content: string) => ({ message: { role: "assistant", content }, done: false });
const final = {
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "length",
  total_duration: 3_000_000,
  prompt_eval_count: 7,
  eval_count: 2,
};

describe("an answer", () => {
  test("is requested with the conversation, the token and the key", async () => {
    let seen: unknown;
    const client = await clientOf((request, reply) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      request.once("end", () => {
        const { authorization, "x-modelctl-owner": owner } = request.headers;
        seen = { url: request.url, authorization, owner, body: JSON.parse(text) };
        lines([final])(request, reply);
      });
    });
    await eventsOf(client);
    expect(seen).toMatchObject({
      url: "/api/chat",
      authorization: "Bearer k",
      owner: "secret",
      body: { model: "tiny", messages: [{ role: "user", content: "Hi" }], stream: true },
    });
  });

  test("is texts and then the figures, with missing ones as zero", async () => {
    const client = await clientOf(lines([piece("Hel"), piece("lo"), final]));
    expect(await eventsOf(client)).toEqual([
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
      {
        type: "done",
        statistics: {
          finishReason: "length",
          promptTokens: 7,
          cachedTokens: 0,
          completionTokens: 2,
          loadMs: 0,
          promptMs: 0,
          completionMs: 0,
          totalMs: 3,
          drafted: 0,
          accepted: 0,
        },
      },
    ]);
  });

  test("that was cancelled or lost part of the conversation says so", async () => {
    const truncated = { messages: 4, tokens: 900 };
    const cancelled = { ...final, done_reason: "cancelled", truncated };
    const client = await clientOf(lines([piece("Hel"), cancelled]));
    expect((await eventsOf(client)).at(-1)).toMatchObject({
      type: "done",
      statistics: { finishReason: "cancelled", truncated },
    });
  });

  test("reports checking, waiting, loading and reading", async () => {
    const status = (fields: Record<string, unknown>) => ({ ...piece(""), ...fields });
    const client = await clientOf(
      lines([
        status({ status: "checking", file: "a\u001b[2J.gguf", completed: 1e9, total: 4e9 }),
        status({ status: "queued", queue_position: 2 }),
        status({ status: "loading", completed: 0.5, total: 1 }),
        status({ status: "warming up" }),
        status({ status: "prompt", completed: 64, total: 512 }),
        final,
      ]),
    );
    expect((await eventsOf(client)).slice(0, 5)).toEqual([
      // Names of files must not control the terminal.
      { type: "checking", file: "a [2J.gguf", fraction: 0.25 },
      { type: "queued", ahead: 2 },
      { type: "loading", fraction: 0.5 },
      { type: "warming-up" },
      { type: "prompt", completedTokens: 64, totalTokens: 512 },
    ]);
  });

  test("is assembled from pieces cut anywhere, even within characters", async () => {
    const bytes = Buffer.from(`${JSON.stringify(piece("Grüße 😀"))}\n${JSON.stringify(final)}`);
    const client = await clientOf(async (_request, reply) => {
      for (const byte of bytes) {
        reply.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      reply.end();
    });
    expect((await eventsOf(client))[0]).toEqual({ type: "text", text: "Grüße 😀" });
  });

  test("that ends without its last record is an error", async () => {
    const client = await clientOf(lines([piece("Hel")]));
    await expect(eventsOf(client)).rejects.toMatchObject({ code: "CLIENT_SERVER_VANISHED" });
  });

  test("whose connection breaks is an error", async () => {
    const client = await clientOf(lines([piece("Hel")], "break"));
    await expect(eventsOf(client)).rejects.toMatchObject({
      code: "CLIENT_SERVER_VANISHED",
      exitCode: 8,
    });
  });

  test("with an error line fails with its sentence and code", async () => {
    const client = await clientOf(
      lines([piece("Hel"), { error: "it broke", code: "ENGINE_RUNNER_CRASHED" }]),
    );
    await expect(eventsOf(client)).rejects.toMatchObject({
      name: "ServerRefusal",
      message: "it broke",
      code: "ENGINE_RUNNER_CRASHED",
    });
  });

  test("that is not JSON is an error about what answers there", async () => {
    const client = await clientOf((_request, reply) => reply.end("<html>\n"));
    await expect(eventsOf(client)).rejects.toMatchObject({ code: "CLIENT_REPLY_UNREADABLE" });
  });

  test.each([
    [404, { error: "no such model", code: "STORE_MODEL_NOT_FOUND" }, "no such model"],
    [400, { error: { message: "wrong", code: "X" } }, "wrong"],
    [502, "<html>Bad Gateway</html>", "The server answered 502."],
  ])("refused with %d is an error with the reason", async (status, body, message) => {
    const client = await clientOf((_request, reply) => {
      reply.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
    });
    await expect(eventsOf(client)).rejects.toMatchObject({ status, message });
  });

  test("that is aborted ends with the abort, not with a server error", async () => {
    const controller = new AbortController();
    const client = await clientOf((_request, reply) => {
      reply.write(`${JSON.stringify(piece("Hel"))}\n`);
    });
    const reading = (async () => {
      const options = { model: "tiny", signal: controller.signal };
      for await (const _ of client.chat([], options)) controller.abort();
    })();
    const error: unknown = await reading.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toMatchObject({ code: expect.stringMatching(/^CLIENT_/) });
  });
});

describe("the details of a model", () => {
  const reply =
    (body: unknown): RequestListener =>
    (request, response) => {
      const isProcesses = request.url === "/api/ps";
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(isProcesses ? body : { id: "x", description: "Tells stories." }));
    };
  const loaded = {
    name: "first:latest",
    names: ["first:latest", "mine:latest"],
    context_length: 8192,
  };

  test.each(["first", "mine", "mine:latest", "MINE"])(
    "have the window of the runner that serves %s, under whichever name it was loaded",
    async (name) => {
      const client = await clientOf(reply({ models: [loaded] }));
      expect(await client.modelFacts(name)).toEqual({
        name,
        loadedAs: "first:latest",
        contextLength: 8192,
        card: "Tells stories.",
        examples: [],
      });
    },
  );

  test("have the window of a runner that was never used under this name", async () => {
    const client = await clientOf((request, response) => {
      const body = request.url === "/api/ps" ? { models: [loaded] } : { loaded_as: "first:latest" };
      response.end(JSON.stringify(body));
    });
    expect(await client.modelFacts("copy")).toMatchObject({ name: "copy", contextLength: 8192 });
  });

  test("have no window if another model is loaded, or none", async () => {
    for (const models of [[loaded], []]) {
      const client = await clientOf(reply({ models }));
      expect((await client.modelFacts("other")).contextLength).toBeUndefined();
    }
  });
});

describe("identifying a server", () => {
  test.each<[string, RequestListener, string]>([
    ["ours", (_request, reply) => reply.end('{"version":"1.0.0","server":"modelctl"}'), "modelctl"],
    ["Ollama", (_request, reply) => reply.end('{"version":"0.33.0"}'), "other"],
    ["a web page", (_request, reply) => reply.end("<html>"), "other"],
    ["a refusal", (_request, reply) => reply.writeHead(403).end(), "other"],
    ["a broken connection", (request) => request.destroy(), "other"],
  ])("recognises %s", async (_what, listener, expected) => {
    expect(await (await clientOf(listener)).identify()).toBe(expected);
  });

  test("returns undefined if nothing listens", async () => {
    expect(await new ApiClient({ url: "http://127.0.0.1:9" }).identify()).toBeUndefined();
  });

  test("an answer without a server is an error that names the address", async () => {
    await expect(eventsOf(new ApiClient({ url: "http://127.0.0.1:9" }))).rejects.toMatchObject({
      code: "CLIENT_SERVER_UNREACHABLE",
      exitCode: 8,
      message: expect.stringContaining("http://127.0.0.1:9"),
    });
  });
});
