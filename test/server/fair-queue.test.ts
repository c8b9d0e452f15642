// A client with many requests does not hold up the others.
import { expect, test } from "vitest";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

test("the first request of a client without running requests is next", async () => {
  const server = await TestServer.start({ num_parallel: 1 });
  const leaving = new AbortController();
  const send = async (agent: string, path: string, body: Record<string, unknown>) =>
    await fetch(server.url + path, {
      method: "POST",
      headers: { "user-agent": agent },
      body: JSON.stringify({ model: "tiny", stream: true, ...body }),
      signal: leaving.signal,
    });
  const story = { messages: [{ role: "user", content: "Write a long story." }], ignore_eos: true };
  try {
    await server.ask("What is 2 + 3?");
    const greedy = Array.from({ length: 4 }, () => send("greedy", "/v1/chat/completions", story));
    await until(
      async () => (await server.send("/api/ps")).json as { models: Array<{ requests: object }> },
      ({ models: [model] }) => JSON.stringify(model?.requests) === '{"running":1,"waiting":3}',
    );
    const modest = await send("modest", "/api/generate", { prompt: "What?", progress: true });
    const reader = modest.body?.pipeThrough(new TextDecoderStream()).getReader();
    const { value = "" } = (await reader?.read()) ?? {};
    expect(JSON.parse(value.split("\n")[0] ?? "")).toMatchObject({
      status: "queued",
      queue_position: 0,
    });
    leaving.abort();
    await Promise.allSettled(greedy);
  } finally {
    leaving.abort();
    await server.close();
  }
});
