// runner.py: its events, its exit, and its errors for failing scripts.
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canConnect } from "../../../source/cloud/engines/ready-probe.ts";
import { onLoopback } from "../../../source/cloud/replica-address.ts";
import { ScriptFolder } from "../../support/replica-runner.ts";

const fixtures = path.join(import.meta.dirname, "../../fixtures/cloud");
let folder: ScriptFolder;

beforeAll(() => {
  folder = new ScriptFolder();
});
afterAll(async () => await folder.remove());

describe("a failing script", () => {
  test.each([
    ["is not Python", "def serve(:\n    pass\n", 65, "syntax_error", "deploy.py:1: ", 1],
    ["has a NUL", "x = 1\0\n", 65, "syntax_error", "null bytes", undefined],
    ["has no such function", "def other(): pass\n", 67, "target_missing", "no serve", undefined],
    ["names no function", "serve = 8000\n", 67, "target_missing", "not a function", undefined],
    ["wants arguments", "\ndef serve(port): pass\n", 67, "target_missing", "'port'", 2],
    ["misses a module", "\nimport nowhere_at_all\n", 68, "import_error", "nowhere_at_all", 2],
    ["raises at its top", "x = {}\nx['model']\n", 69, "script_error", "KeyError: 'model'", 2],
    ["raises", "def serve():\n    raise ValueError('no')\n", 70, "exception", "ValueError: no", 2],
    ["lacks memory", "def serve():\n    raise MemoryError\n", 72, "out_of_memory", "Memory", 2],
    [
      "calls a missing program",
      "import subprocess\ndef serve():\n    subprocess.run(['no-such-server', '-x'])\n",
      127,
      "missing_executable",
      "'no-such-server'",
      3,
    ],
    [
      "becomes a missing program",
      "import os\ndef serve():\n    os.execvp('no-such-server', ['no-such-server'])\n",
      127,
      "missing_executable",
      "'no-such-server'",
      3,
    ],
  ])("%s", async (_what, text, code, reason, sentence, line) => {
    const replica = await folder.start(text);
    expect(await replica.ended).toBe(code);
    const failed = await replica.told("failed");
    expect(failed).toMatchObject({ reason, sentence: expect.stringContaining(sentence) });
    expect(failed.line).toBe(line);
    if (line !== undefined) expect(failed.text).toBe(text.split("\n")[line - 1]?.trim());
    // The runner's own frames are left out.
    expect(replica.errors).not.toContain("runner.py");
  });

  test("does not exist", async () => {
    const replica = await folder.startFile("nowhere.py");
    expect(await replica.ended).toBe(66);
    expect(await replica.told("failed")).toMatchObject({ reason: "script_missing" });
  });

  test("needs a port that is in use", async () => {
    const replica = await folder.start(`
import socket
def serve():
    one, other = socket.socket(), socket.socket()
    one.bind(("127.0.0.1", 0)); one.listen()
    other.bind(one.getsockname())
`);
    expect(await replica.ended).toBe(71);
    expect(await replica.told("failed")).toMatchObject({ reason: "port_conflict", line: 6 });
  });

  test("fails in an imported file, which is named", async () => {
    const replica = await folder.start("import helper\ndef serve(): helper.run()\n", {
      files: { "helper.py": "\n\ndef run():\n    1 / 0\n" },
    });
    expect(await replica.ended).toBe(70);
    expect(await replica.told("failed")).toMatchObject({
      sentence: "helper.py:4: ZeroDivisionError: division by zero",
      file: path.join(folder.path, "helper.py"),
    });
  });

  test.each([
    ["sys.exit(7)", 7],
    ["sys.exit('no model')", 1],
    ["sys.exit()", 0],
  ])("exits by %s", async (call, code) => {
    const replica = await folder.start(`import sys\ndef serve():\n    ${call}\n`);
    expect(await replica.ended).toBe(code);
    if (call.includes("model")) expect(replica.errors).toContain("no model");
  });

  test("has an invalid port map", async () => {
    const environment = { DEPLOYCTL_PORT_MAP: "8000:eight" };
    const replica = await folder.start("def serve(): pass\n", { environment });
    expect(await replica.ended).toBe(64);
    expect(await replica.told("failed")).toMatchObject({
      reason: "usage",
      sentence: expect.stringContaining("8000:eight"),
    });
  });
});

describe("a function that returns", () => {
  test("ends the replica when nothing of it runs", async () => {
    const replica = await folder.start("def serve(): print('nothing to do', end='')\n");
    expect(await replica.ended).toBe(0);
    expect(replica.events.map(({ phase }) => phase)).toEqual(["importing", "calling", "returned"]);
    // An event may follow an incomplete line of the script.
    expect(replica.output).toContain("nothing to do@deployctl {");
  });

  test.each([
    ["a code", "sh -c 'exit 3'", 3, 3],
    ["a signal", "sh -c 'kill -9 $$'", 137, -9],
  ])("reports that its server had exited with %s", async (_what, command, code, told) => {
    const replica = await folder.start(
      `import shlex, subprocess\ndef serve():\n    subprocess.run(shlex.split(${JSON.stringify(command)}))\n`,
    );
    expect(await replica.ended).toBe(code);
    expect(await replica.told("returned")).toMatchObject({ program: "sh", code: told });
  });

  test("continues while its server runs, and reports how it exited", async () => {
    const replica = await folder.start(`
import subprocess, sys
SERVER = """
import os, sys, time
while not os.path.exists("gate"):
    time.sleep(0.02)
sys.exit(4)
"""
def serve():
    subprocess.Popen([sys.executable, "-c", SERVER])
`);
    expect(await replica.told("holding")).toMatchObject({ processes: 1 });
    folder.write("gate", "");
    expect(await replica.ended).toBe(4);
    expect(replica.event("returned")).toMatchObject({ code: 4 });
  });

  test("continues while one of its threads listens", async () => {
    const replica = await folder.start(`
import http.server, threading
def serve():
    server = http.server.HTTPServer(("", 8000), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
`);
    expect((await replica.answer()).status).toBe(200);
    expect(await replica.told("holding")).toMatchObject({ processes: 0, listening: true });
    replica.kill("SIGTERM");
    expect(await replica.ended).toBe(143);
  });

  test("may be a coroutine", async () => {
    const replica = await folder.start(
      "import asyncio\nasync def serve():\n    await asyncio.sleep(0)\n    print('slept')\n",
    );
    expect(await replica.ended).toBe(0);
    expect(replica.output).toContain("slept");
  });
});

describe("SIGTERM", () => {
  test("lets a blocking server exit by itself, then the script", async () => {
    const replica = await folder.start(`
import subprocess, sys
import deployctl
deployctl.on_exit(lambda: print("cleaned up"))
SERVER = """
import signal, sys, time
def end(*_):
    time.sleep(0.3)
    print("server ended", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print("server ready", flush=True)
time.sleep(600)
"""
def serve():
    subprocess.run([sys.executable, "-c", SERVER])
    print("script ended")
`);
    await replica.printed("server ready");
    replica.kill("SIGTERM");
    expect(await replica.ended).toBe(0);
    const order = ["cleaned up", "server ended", "script ended"];
    const places = order.map((text) => replica.output.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("ends a script that waits for nothing; so does %s", async (signal, code) => {
    const replica = await folder.start(
      "import time\ndef serve():\n    try:\n        print('inside', flush=True)\n        time.sleep(600)\n    finally:\n        print('finally')\n",
    );
    await replica.printed("inside");
    replica.kill(signal);
    expect(await replica.ended).toBe(code);
    expect(replica.event("terminating")).toBeDefined();
    expect(replica.output).toContain("finally");
    expect(replica.errors).toBe("");
  });

  test("ends forked children, with their default handler", async () => {
    const replica = await folder.start(`
import os, time
def serve():
    if os.fork() == 0:
        print("forked", flush=True)
        time.sleep(600)
    os.wait()
`);
    await replica.printed("forked");
    replica.kill("SIGTERM");
    // The signal may reach the parent before or after its child has exited.
    expect([0, 143]).toContain(await replica.ended);
    expect(replica.events.filter(({ phase }) => phase === "terminating")).toHaveLength(1);
  });
});

test("the example of a server of its own runs", async () => {
  const replica = await folder.startFile(
    path.join(import.meta.dirname, "../../../docs/examples/own-server.py"),
  );
  const answer = await replica.answer("/a");
  expect(await answer.json()).toEqual({ path: "/a", replica: "replica-1" });
});

test("a fal recipe runs unchanged, only on the replica's port", async () => {
  const programs = path.join(folder.path, "bin");
  mkdirSync(programs);
  copyFileSync(path.join(fixtures, "fake-server.py"), path.join(programs, "vllm"));
  chmodSync(path.join(programs, "vllm"), 0o755);
  const replica = await folder.startFile(path.join(fixtures, "recipe.py"), {
    environment: {
      PATH: `${programs}:${process.env.PATH}`,
      MODEL_NAME: "acme/own-model",
    },
  });
  const models = await replica.answer("/v1/models");
  expect(await models.json()).toMatchObject({ data: [{ id: "acme/own-model" }] });
  replica.kill("SIGTERM");
  await replica.ended;
  expect(await canConnect(onLoopback(replica.port), 500)).toBe(false);
});

test("an unwritable log does not end the replica", async () => {
  const replica = await folder.start(`
import http.server, os
# As on a full disk: every write fails.
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
def serve():
    http.server.HTTPServer(("", 8000), http.server.SimpleHTTPRequestHandler).serve_forever()
`);
  expect((await replica.answer()).status).toBe(200);
  replica.kill("SIGTERM");
  expect(await replica.ended).toBe(143);
});
