// Crash of a runner: only its running requests fail.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { textPairs } from "../support/pairs.ts";
import { isAlive, processesOfHome, runnerFolders } from "../support/processes.ts";
import { type Program, readableProgram } from "../support/readable-program.ts";
import { type Reply, TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const model = "tiny";
const longQuestion = "Write a long story.";
const story = textPairs.find((pair) => pair.skill === "story")?.expect ?? "";
const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";
const stopped = "model runner has unexpectedly stopped";

let server: TestServer;
let folder: string;
let second: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-models-"));
  second = path.join(folder, "second.gguf");
  copyFileSync(tinyFile, second);
  server = await TestServer.start({ model_folders: [folder] });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a long answer and returns its reader after the first piece. */
async function beginAnswer(route: string, more: Record<string, unknown> = {}) {
  const reply = await fetch(server.url + route, {
    method: "POST",
    body: JSON.stringify({
      model,
      messages: [{ role: "user", content: longQuestion }],
      stream: true,
      // Continues until the window is full; on the native API, to the end of the story.
      ...(route.startsWith("/v1") && { ignore_eos: true }),
      ...more,
    }),
  });
  if (reply.body === null) throw new Error("no body");
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader.read();
  return {
    /** Returns the rest of a response; undefined when the connection breaks. */
    async rest(): Promise<string | undefined> {
      let text = first.value ?? "";
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          text += next.value;
        }
        return text;
      } catch {
        return undefined;
      }
    },
  };
}

async function crash(route = "/v1/chat/completions"): Promise<string | undefined> {
  const answer = await beginAnswer(route);
  process.kill(await server.runnerOf(), "SIGKILL");
  return await answer.rest();
}

describe("a runner killed in the middle of its answers", () => {
  const messages = [{ role: "user" as const, content: longQuestion }];
  let before: number;
  let native: string | undefined;
  let events: string | undefined;
  let whole: Reply;
  let thrown: unknown;
  let other: { runner: number; answer: string };
  let told: string[];

  /** Reads a stream with OpenAI's client library. @returns what it throws */
  async function readWithClient(): Promise<unknown> {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "x", maxRetries: 0 });
    const body = { model, messages, stream: true as const, ...{ ignore_eos: true } };
    try {
      for await (const _ of await client.chat.completions.create(body));
      return undefined;
    } catch (error) {
      return error;
    }
  }

  beforeAll(async () => {
    await server.ask(capital);
    await server.ask(capital, second);
    before = await server.runnerOf();
    const runner = await server.runnerOf(second);
    const logged = server.log.length;
    // As many as run at once.
    const read = readWithClient();
    const asked = server.post("/v1/chat/completions", { model, messages, ignore_eos: true });
    const streams = await Promise.all([
      beginAnswer("/api/chat", { options: { frequency_penalty: -2 } }),
      beginAnswer("/v1/chat/completions"),
    ]);
    await until(
      () => server.hosted.requestLog.running,
      (running) =>
        running.length === 4 && running.every((record) => (record.completionTokens ?? 0) > 0),
    );
    const answer = server.ask(longQuestion, second);
    process.kill(before, "SIGKILL");
    [native, events] = await Promise.all(streams.map((stream) => stream.rest()));
    [whole, thrown, other] = [await asked, await read, { runner, answer: await answer }];
    told = server.log.slice(logged);
  });

  test("ends a native stream with an error line and no final record", () => {
    const lines = (native ?? "").trimEnd().split("\n");
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.at(-1)).toEqual({
      error: expect.stringContaining(stopped),
      code: "ENGINE_RUNNER_CRASHED",
    });
    expect(records.some(({ done }) => done === true)).toBe(false);
  });

  test("ends an OpenAI stream with an error event and no [DONE]", () => {
    const all = (events ?? "").trimEnd().split("\n\n");
    const last = all.at(-1) ?? "";
    expect(JSON.parse(last.replace(/^data: /, ""))).toEqual({
      error: {
        message: expect.stringContaining(stopped),
        type: "api_error",
        param: null,
        code: "ENGINE_RUNNER_CRASHED",
      },
    });
    expect(all).not.toContain("data: [DONE]");
  });

  test("makes OpenAI's client library throw", () => {
    expect(thrown).toMatchObject({ message: expect.stringContaining(stopped) });
  });

  test("answers a non-streamed request with 500 and the reason", () => {
    expect(whole.status).toBe(500);
    expect(whole.json).toMatchObject({
      error: { type: "api_error", message: expect.stringContaining(stopped) },
    });
  });

  test("does not affect other models", async () => {
    expect(other.answer).toBe(story);
    expect(await server.runnerOf(second)).toBe(other.runner);
  });

  test("is logged once, and with each of its requests", async () => {
    await server.untilQuiet();
    const failed = (await server.requests()).filter(({ error }) => error !== undefined);
    expect(failed).toHaveLength(4);
    for (const { error } of failed) expect(error).toMatchObject({ code: "ENGINE_RUNNER_CRASHED" });
    expect(told).toEqual(["the runner of tiny was killed (out of memory, or manually)"]);
  });

  test("is replaced when the next request loads the model, and leaves no folder", async () => {
    expect(await server.ask(capital)).toBe(capitalAnswer);
    const after = await server.runnerOf();
    expect(after).not.toBe(before);
    expect(isAlive(before)).toBe(false);
    expect(runnerFolders(before)).toEqual([]);
    expect(runnerFolders(after)).toHaveLength(1);
  });

  test("is noticed while idle, without any failed request", async () => {
    await server.killRunner();
    await until(
      () => server.loaded(),
      (loaded) => loaded.every(({ name }) => name !== "tiny:latest"),
    );
    expect(await server.ask(capital)).toBe(capitalAnswer);
  });
});

test("repeated crashes get 503 with Retry-After until an answer succeeds", async () => {
  const messages = [{ role: "user", content: capital }];
  const refusals = await until(
    async () => {
      await crash();
      await crash();
      return await Promise.all([
        server.post("/v1/chat/completions", { model, messages }),
        server.post("/api/generate", { model, prompt: capital, stream: false }),
      ]);
    },
    (replies) => replies.every(({ status }) => status === 503),
  );
  for (const { headers, text } of refusals) {
    expect(text).toContain("ENGINE_BACKING_OFF");
    expect(text).toContain("crashed several times");
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  expect(refusals[0]?.json).toMatchObject({ error: { type: "api_error" } });
  // Other models and the server are not delayed.
  expect(await server.ask(capital, second)).toBe(capitalAnswer);
  await until(
    () => server.post("/api/generate", { model, prompt: capital, stream: false }),
    ({ status }) => status === 200,
  );
  // After a successful answer, a single crash causes no wait again.
  await crash();
  expect(await server.ask(capital)).toBe(capitalAnswer);
});

test("nothing is left behind by an unloaded model", async () => {
  await server.ask(capital);
  const runner = await server.runnerOf();
  await server.post("/api/generate", { model, keep_alive: 0 });
  await until(
    () => isAlive(runner),
    (alive) => !alive,
  );
  expect(runnerFolders(runner)).toEqual([]);
});

describe("a closing server", () => {
  test("ends streams and runners, and can be closed twice", async () => {
    const answers = [await beginAnswer("/api/chat"), await beginAnswer("/v1/chat/completions")];
    const runner = await server.runnerOf();
    await server.close();
    for (const text of await Promise.all(answers.map((answer) => answer.rest()))) {
      expect(text ?? "").not.toContain('"done":true');
      expect(text ?? "").not.toContain("[DONE]");
    }
    expect(isAlive(runner)).toBe(false);
    expect(runnerFolders(runner)).toEqual([]);
    await expect(fetch(server.url)).rejects.toThrow();
    await expect(server.close()).resolves.toBeUndefined();
  });

  test("ends while a model is loading", async () => {
    const own = await TestServer.start();
    const asked = own.post("/api/generate", { model, prompt: capital }).catch(() => undefined);
    await until(
      () => own.loaded(),
      (loaded) => loaded.length === 1,
    );
    await own.close();
    await asked;
    expect(own.hosted.scheduler.models).toEqual([]);
  });
});

describe("nothing is left behind", () => {
  describe("in a background server", () => {
    let home: Home;
    beforeAll(async () => {
      home = await Home.create();
    });
    afterAll(async () => await home.remove());
    const runners = () =>
      processesOfHome(home.folder).filter(({ text }) => text.includes("runner-main"));

    test("a runner that dies while loading does not stop the next command", async () => {
      const { ended } = home.start(["run", "tiny", capital]);
      const [runner] = await until(runners, (found) => found.length > 0);
      if (runner !== undefined) process.kill(runner.id, "SIGKILL");
      const { errors } = await ended;
      // The request may or may not have reached the runner; the error is the same.
      expect(errors === "" || errors.includes(stopped)).toBe(true);
      expect(await home.call(["run", "tiny", capital])).toEqual({
        code: 0,
        output: `${capitalAnswer}\n`,
        errors: "",
      });
    });

    test("that is killed: its runners exit by themselves, even one that reads no messages", async () => {
      await home.call(["run", second, ""]);
      const before = runners();
      expect(before).toHaveLength(2);
      // Like a long computation: no JavaScript runs, so the closed channel is not noticed.
      process.kill(before[0]?.id ?? 0, "SIGSTOP");
      await home.killServer();
      await until(
        () => processesOfHome(home.folder).filter(({ id }) => isAlive(id)),
        (found) => found.length === 0,
      );
      expect(runnerFolders(before[1]?.id ?? 0)).toEqual([]);
    });
  });

  test("another user's leftover runner folder does not stop a model from loading", async () => {
    const home = await Home.create();
    const { pid: deadProcess } = spawnSync(process.execPath, ["--version"]);
    const leftover = path.join(memoryFolder(), `modelctl-runner-${deadProcess}-left`);
    let program: Program | undefined;
    try {
      mkdirSync(leftover);
      writeFileSync(path.join(leftover, "1.state"), "state");
      chmodSync(leftover, 0o500);
      // Root can remove everything, so the command runs as nobody then.
      const nobody = 65_534;
      const words = ["run", "tiny", capital];
      let outcome: ReturnType<Home["start"]>;
      if (process.getuid?.() === 0) {
        program = readableProgram();
        chownSync(home.folder, nobody, nobody);
        outcome = home.startProgram(program.node, [program.entry, ...words], { userId: nobody });
      } else {
        outcome = home.start(words);
      }
      expect(await outcome.ended).toEqual({ code: 0, output: `${capitalAnswer}\n`, errors: "" });
    } finally {
      await home.remove();
      program?.remove();
      if (existsSync(leftover)) chmodSync(leftover, 0o700);
      rmSync(leftover, { recursive: true, force: true });
    }
  });
});

/** Folder of the runners' copies: in memory if possible. */
function memoryFolder(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}
