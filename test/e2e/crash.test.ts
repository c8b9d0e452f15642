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
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { textPairs } from "../support/pairs.ts";
import { isAlive, processesOfHome, runnerFolders } from "../support/processes.ts";
import { type Program, readableProgram } from "../support/readable-program.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const model = "tiny";
const longQuestion = "Write a long story.";
const story = textPairs.find((pair) => pair.skill === "story")?.expect ?? "";
const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";
const stopped = "model runner has unexpectedly stopped";

let server: TestServer;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-models-"));
  copyFileSync(tinyFile, path.join(folder, "second.gguf"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  server = await TestServer.start({ model_folders: [folder] });
});
afterEach(async () => await server.close());

/** Returns the process of a loaded model. */
async function runnerOf(name = "tiny:latest"): Promise<number> {
  const entry = (await server.loaded()).find((loaded) => loaded.name === name);
  if (entry === undefined) throw new Error(`${name} is not loaded`);
  return entry.process_id;
}

/** Starts a long answer and returns its reader after the first piece. */
async function beginAnswer(route: string, more: Record<string, unknown> = {}) {
  const reply = await fetch(server.url + route, {
    method: "POST",
    body: JSON.stringify({
      model,
      prompt: longQuestion,
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
  process.kill(await runnerOf(), "SIGKILL");
  return await answer.rest();
}

describe("a runner killed in the middle of an answer", () => {
  test("ends a native stream with an error line and no final record", async () => {
    const answer = await beginAnswer("/api/chat");
    process.kill(await runnerOf(), "SIGKILL");
    const lines = ((await answer.rest()) ?? "").trimEnd().split("\n");
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.at(-1)).toEqual({
      error: expect.stringContaining(stopped),
      code: "ENGINE_RUNNER_CRASHED",
    });
    expect(records.some(({ done }) => done === true)).toBe(false);
  });

  test("ends an OpenAI stream with an error event and no [DONE]", async () => {
    const events = ((await crash()) ?? "").trimEnd().split("\n\n");
    const last = events.at(-1) ?? "";
    expect(JSON.parse(last.replace(/^data: /, ""))).toEqual({
      error: {
        message: expect.stringContaining(stopped),
        type: "api_error",
        param: null,
        code: "ENGINE_RUNNER_CRASHED",
      },
    });
    expect(events).not.toContain("data: [DONE]");
  });

  test("makes OpenAI's client library throw", async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "x", maxRetries: 0 });
    const reading = (async () => {
      const stream = await client.chat.completions.create({
        model,
        messages: [{ role: "user", content: longQuestion }],
        stream: true,
        ...{ ignore_eos: true },
      });
      let isKilled = false;
      for await (const _ of stream) {
        if (!isKilled) process.kill(await runnerOf(), "SIGKILL");
        isKilled = true;
      }
    })();
    await expect(reading).rejects.toThrow(stopped);
  });

  test("answers a non-streamed request with 500 and the reason", async () => {
    const asked = server.post("/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: longQuestion }],
      ignore_eos: true,
    });
    await until(
      () => server.requests(),
      (requests) => (requests.at(-1)?.completionTokens ?? 0) > 0,
    );
    process.kill(await runnerOf(), "SIGKILL");
    const { status, json } = await asked;
    expect(status).toBe(500);
    expect(json).toMatchObject({
      error: { type: "api_error", message: expect.stringContaining(stopped) },
    });
  });

  test("fails all its requests, and the request log has the reason", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => beginAnswer("/v1/chat/completions")));
    process.kill(await runnerOf(), "SIGKILL");
    for (const text of await Promise.all(answers.map((answer) => answer.rest()))) {
      expect(text).toContain(stopped);
    }
    await server.untilQuiet();
    for (const { error } of await server.requests()) {
      expect(error).toMatchObject({ code: "ENGINE_RUNNER_CRASHED" });
    }
    const told = server.log.slice(
      server.log.findLastIndex((line) => line.includes("loaded tiny")) + 1,
    );
    expect(told).toEqual(["the runner of tiny was killed (out of memory, or manually)"]);
  });

  test("is replaced when the next request loads the model", async () => {
    await server.ask(capital);
    const before = await runnerOf();
    await crash();
    expect(await server.ask(capital)).toBe(capitalAnswer);
    expect(await runnerOf()).not.toBe(before);
    expect(isAlive(before)).toBe(false);
  });

  test("does not affect other models", async () => {
    const second = path.join(folder, "second.gguf");
    await server.ask(capital, second);
    const runner = await runnerOf(second);
    const answer = server.ask(longQuestion, second);
    await crash();
    expect(await answer).toBe(story);
    expect(await runnerOf(second)).toBe(runner);
  });

  test("is noticed while idle, without any failed request", async () => {
    await server.ask(capital);
    process.kill(await runnerOf(), "SIGKILL");
    await until(
      () => server.loaded(),
      (loaded) => loaded.length === 0,
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
  expect(await server.ask(capital, path.join(folder, "second.gguf"))).toBe(capitalAnswer);
  await until(
    () => server.post("/api/generate", { model, prompt: capital, stream: false }),
    ({ status }) => status === 200,
  );
  // After a successful answer, a single crash causes no wait again.
  await crash();
  expect(await server.ask(capital)).toBe(capitalAnswer);
});

describe("a closing server", () => {
  test.each(["/api/chat", "/v1/chat/completions"])(
    "ends the streams of %s and its runners",
    async (route) => {
      const answer = await beginAnswer(route);
      const runner = await runnerOf();
      await server.close();
      const text = await answer.rest();
      expect(text ?? "").not.toContain('"done":true');
      expect(text ?? "").not.toContain("[DONE]");
      expect(isAlive(runner)).toBe(false);
      expect(runnerFolders(runner)).toEqual([]);
      await expect(fetch(server.url)).rejects.toThrow();
    },
  );

  test("ends while a model is loading", async () => {
    const asked = server.post("/api/generate", { model, prompt: capital }).catch(() => undefined);
    await until(
      () => server.loaded(),
      (loaded) => loaded.length === 1,
    );
    await server.close();
    await asked;
    expect(server.hosted.scheduler.models).toEqual([]);
  });

  test("can be closed twice", async () => {
    await server.ask(capital);
    await server.close();
    await expect(server.close()).resolves.toBeUndefined();
  });
});

describe("nothing is left behind", () => {
  test("by a killed runner once the model is loaded again", async () => {
    await server.ask(capital);
    const runner = await runnerOf();
    expect(runnerFolders(runner)).toHaveLength(1);
    await crash();
    await server.ask(capital);
    expect(runnerFolders(runner)).toEqual([]);
  });

  test("by an unloaded model", async () => {
    await server.ask(capital);
    const runner = await runnerOf();
    await server.post("/api/generate", { model, keep_alive: 0 });
    await until(
      () => isAlive(runner),
      (alive) => !alive,
    );
    expect(runnerFolders(runner)).toEqual([]);
  });

  test("by a killed server: its runner exits by itself", async () => {
    const home = await Home.create();
    try {
      await home.call(["run", "tiny", capital]);
      const runner = processesOfHome(home.folder).find(({ text }) => text.includes("runner-main"));
      expect(runner).toBeDefined();
      await home.killServer();
      await until(
        () => processesOfHome(home.folder),
        (found) => found.length === 0,
      );
      expect(runnerFolders(runner?.id ?? 0)).toEqual([]);
    } finally {
      await home.remove();
    }
  });

  test("by a killed server whose runner never reads its messages", async () => {
    const home = await Home.create();
    try {
      await home.call(["run", "tiny", capital]);
      const runner = processesOfHome(home.folder).find(({ text }) => text.includes("runner-main"));
      if (runner === undefined) throw new Error("there is no runner");
      // Like a long computation: no JavaScript runs, so the closed channel is not noticed.
      process.kill(runner.id, "SIGSTOP");
      await home.killServer();
      await until(
        () => isAlive(runner.id),
        (alive) => !alive,
      );
    } finally {
      await home.remove();
    }
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

  test("a runner that dies while loading does not stop the next command", async () => {
    const home = await Home.create();
    try {
      const { ended } = home.start(["run", "tiny", capital]);
      const [runner] = await until(
        () => processesOfHome(home.folder).filter(({ text }) => text.includes("runner-main")),
        (found) => found.length > 0,
      );
      if (runner !== undefined) process.kill(runner.id, "SIGKILL");
      const { errors } = await ended;
      // The request may or may not have reached the runner; the error is the same.
      expect(errors === "" || errors.includes(stopped)).toBe(true);
      expect(await home.run(["run", "tiny", capital])).toEqual({
        code: 0,
        output: `${capitalAnswer}\n`,
        errors: "",
      });
    } finally {
      await home.remove();
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
