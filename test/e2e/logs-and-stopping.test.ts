// modelctl logs, the log of serve, and stopping serve during an answer.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Home, type Started } from "../support/command-line.ts";
import { isAlive, processesOfHome, runnersOf } from "../support/processes.ts";
import { until } from "../support/until.ts";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
});
afterAll(async () => await home.remove());

interface Server extends Started {
  errors: () => string;
}

async function serve(words: string[] = [], environment: Record<string, string> = {}) {
  const started = home.start(["serve", ...words], { environment });
  let errors = "";
  started.child.stderr?.on("data", (piece: string) => {
    errors += piece;
  });
  const server: Server = { ...started, errors: () => errors };
  await until(server.errors, (text) => text.includes("listening"));
  return server;
}

const ask = async (model = "tiny") =>
  await fetch(`${home.url}/api/generate`, {
    method: "POST",
    body: JSON.stringify({ model, prompt: "What is the capital of France?", stream: false }),
  });

/** Requests an answer that fills the window; undefined when the connection breaks. */
async function beginAnswer(): Promise<string | undefined> {
  try {
    const reply = await fetch(`${home.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        model: "tiny",
        messages: [{ role: "user", content: "Write a long story." }],
        stream: true,
        ignore_eos: true,
      }),
    });
    return await reply.text();
  } catch {
    return undefined;
  }
}

/** Small, so that filling it takes a moment only. */
const window = ["--context-length", "256"];

describe("logs, and stopping serve during an answer", () => {
  let first: Server;
  /** Runs at the first one's address once that has stopped. */
  let second: Server;
  beforeAll(async () => {
    first = await serve(["--context-length", "32768"], { MODELCTL_PREFILL_CHUNK: "128" });
  });

  test("prints filtered requests as a table and as JSON", async () => {
    await ask();
    await ask("nowhere");
    const { code, output, errors } = await home.call(["logs"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const lines = output.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d {2}200 .* POST \/api\/generate +tiny .*\d+ \+ \d+ tokens/,
      ),
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}404 .* nowhere .*STORE_MODEL_NOT_FOUND: /),
    ]);
    expect((await home.call(["logs", "--filter", "status:4xx"])).output).toBe(`${lines[1]}\n`);
    expect((await home.call(["logs", "--limit", "1"])).output).toBe(`${lines[1]}\n`);
    const json = await home.call(["logs", "--json", "--filter", "model:tiny"]);
    expect(JSON.parse(json.output)).toMatchObject({ model: "tiny", status: 200, state: "done" });
    expect(await home.call(["logs", "--filter", "stauts:200"])).toMatchObject({
      code: 2,
      errors: expect.stringContaining("Did you mean status?"),
    });
  });

  test("-f shows how much of a long prompt has been read", async () => {
    const complete = async (prompt: string) =>
      await fetch(`${home.url}/v1/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "tiny", prompt, max_tokens: 1 }),
      });
    await complete("Hello!");
    const { child, output, ended } = home.start(["logs", "-f", "--filter", "path:/v1/completions"]);
    await until(output, (text) => text.includes("/v1/completions"));
    expect((await complete("red green blue ".repeat(900))).status).toBe(200);
    await until(output, (text) => text.split("\n").length === 3);
    child.kill("SIGINT");
    const { code, errors } = await ended;
    expect(code).toBe(130);
    expect(errors).toMatch(/^(r-\w+ tiny reading: \d+% \d+\/3\d{3} tokens\n)+$/);
  });

  test("-f follows across a restart, before which serve stops at once on the second signal", async () => {
    const { child, output, ended } = home.start(["logs", "-f", "--filter", "path:/api/generate"]);
    const count = () => output().split("\n").length - 1;
    // The requests of the test above.
    await until(count, (lines) => lines === 2);
    await ask("elsewhere");
    await until(output, (text) => / 404 .*elsewhere/.test(text));
    // By default the server's own log has no requests.
    expect(first.errors()).toContain("loaded tiny");
    expect(first.errors()).not.toContain("POST");

    const answer = beginAnswer();
    await until(
      async () => await (await fetch(`${home.url}/api/requests`)).text(),
      (text) => text.includes('"state":"running"'),
    );
    const [runner = 0] = runnersOf(first.child.pid ?? 0);
    first.child.kill("SIGTERM");
    await until(first.errors, (text) => text.includes("stopping: waiting"));
    await until(
      () => {
        first.child.kill("SIGTERM");
        return first.child.exitCode;
      },
      (code) => code !== null,
    );
    expect((await first.ended).code).toBe(130);
    expect(first.errors()).toContain("second signal: stopping at once");
    expect((await answer) ?? "").not.toContain("[DONE]");
    await until(
      () => isAlive(runner),
      (alive) => !alive,
    );
    expect(home.serverFile()).toBeUndefined();

    second = await serve([...window, "--log-format", "pretty"]);
    const before = count();
    await ask("anywhere");
    await until(count, (lines) => lines > before);
    expect(output()).toMatch(/ 404 .*anywhere/);
    expect(new Set(output().split("\n")).size).toBe(count() + 1);
    child.kill("SIGINT");
    const outcome = await ended;
    expect(outcome.code).toBe(130);
    expect(outcome.errors).toBe("Connection lost; waiting for the server.\n");
  });

  test("one signal lets the answer finish, says what it waits for, and leaves nothing behind", async () => {
    const answer = beginAnswer();
    await until(
      () => runnersOf(second.child.pid ?? 0),
      (runners) => runners.length === 1,
    );
    second.child.kill("SIGTERM");
    expect((await answer)?.trimEnd().endsWith("data: [DONE]")).toBe(true);
    expect(await second.ended).toMatchObject({ code: 0, output: "" });
    expect(second.errors()).toMatch(/stopping: waiting up to 30\.00 s for one request to end/);
    expect(second.errors()).toContain("all requests have ended");
    expect(home.serverFile()).toBeUndefined();
    expect(processesOfHome(home.folder)).toEqual([]);
    // This format has a line for each request.
    expect(second.errors()).toMatch(/^\S+Z 200 .* POST \/v1\/chat\/completions +tiny .*r-\w+$/m);
  });

  test("logs reports that no server is running", async () => {
    expect(await home.call(["logs"])).toMatchObject({ code: 8, output: "" });
    expect(await home.call(["logs", "-f"])).toMatchObject({ code: 8, output: "" });
    const named = await home.call(["logs", "--connect", "127.0.0.1:1"]);
    expect(named.errors).toContain("No modelctl server answers at http://127.0.0.1:1.");
    expect(await home.call(["logs", "--limit", "none"])).toMatchObject({ code: 2, output: "" });
  });

  test("after the time limit serve gives up and tells the client", async () => {
    const words = [...window, "--log-format", "json"];
    const server = await serve(words, { MODELCTL_SHUTDOWN_TIMEOUT: "0" });
    const answer = beginAnswer();
    await until(
      () => runnersOf(server.child.pid ?? 0),
      (runners) => runners.length === 1,
    );
    server.child.kill("SIGTERM");
    expect(await answer).toContain("ENGINE_SHUTTING_DOWN");
    expect((await server.ended).code).toBe(0);
    expect(processesOfHome(home.folder)).toEqual([]);
    // This format has an object on every line.
    const lines = server.errors().trimEnd().split("\n");
    const objects = lines.map((line) => JSON.parse(line) as { message: string });
    expect(objects.map(({ message }) => message)).toEqual(
      expect.arrayContaining([`modelctl is listening on ${home.url}`, "request"]),
    );
  });
});

test("serve refuses an unknown --log-format", async () => {
  expect(await home.call(["serve", "--log-format", "xml"])).toMatchObject({
    code: 2,
    errors: expect.stringContaining("Use pretty or json."),
  });
});
