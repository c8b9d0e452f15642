// Port and host arguments of programs other than Python, which are rewritten.
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { python, ScriptFolder } from "../../support/replica-runner.ts";

let folder: ScriptFolder;

beforeAll(() => {
  folder = new ScriptFolder();
});
afterAll(async () => await folder.remove());

/** Calls a function of the shim with each of the cases. */
function callEach(call: string, cases: readonly unknown[], environment = {}): unknown {
  const code = `
import json, sys
from deployctl import _programs
print(json.dumps([${call} for case in json.load(sys.stdin)]))`;
  const output = execFileSync(python, ["-c", code], {
    input: JSON.stringify(cases),
    encoding: "utf8",
    env: { ...process.env, PYTHONPATH: path.join(pythonFolder(), "shim"), ...environment },
  });
  return JSON.parse(output);
}

const words: [string, string][] = [
  ["srv --port 8000", "srv --port 21000"],
  ["srv --port=8000", "srv --port=21000"],
  ["srv -p 8000", "srv -p 21000"],
  ["srv --http-port 8000 --host 0.0.0.0", "srv --http-port 21000 --host 127.0.0.1"],
  ["srv --PORT 8000 --bind=0.0.0.0", "srv --PORT 21000 --bind=127.0.0.1"],
  ["srv -listen :8000", "srv -listen 127.0.0.1:21000"],
  ["srv --addr=0.0.0.0:8000", "srv --addr=127.0.0.1:21000"],
  ["srv --listen [::]:8000", "srv --listen 127.0.0.1:21000"],
  ["srv tcp://127.0.0.1:8000", "srv tcp://127.0.0.1:21000"],
  ["srv http://localhost:8000/health", "srv http://localhost:21000/health"],
  ["srv --host 127.0.0.1 --port 8000", "srv --host 127.0.0.1 --port 21000"],
  ["srv --host example.org --port 8000", "srv --host example.org --port 21000"],
  // Ports and hosts of other servers stay unchanged.
  ["srv --port 8001 --host 0.0.0.0", "srv --port 8001 --host 0.0.0.0"],
  ["srv --max-tokens 8000", "srv --max-tokens 8000"],
  ["srv --upstream http://gpu-box:8000", "srv --upstream http://gpu-box:8000"],
  ["srv --publish 8000:8000", "srv --publish 8000:8000"],
  ["srv 8000", "srv 8000"],
  ["srv --transport 8000", "srv --transport 8000"],
  ["srv", "srv"],
];

describe("the arguments of a command", () => {
  test("are changed where they name the port, and nowhere else", () => {
    const rewritten = callEach(
      "' '.join(_programs.rewrite_words(case.split(' '), {8000: 21000}))",
      words.map(([said]) => said),
    );
    expect(rewritten).toEqual(words.map(([, meant]) => meant));
  });

  test("keep their addresses if that is allowed", () => {
    const rewritten = callEach(
      "_programs.rewrite_words(case, {8000: 21000})",
      [["srv", "--host", "0.0.0.0", "--listen", "0.0.0.0:8000"]],
      { DEPLOYCTL_BIND_ANY: "1" },
    );
    expect(rewritten).toEqual([["srv", "--host", "0.0.0.0", "--listen", "0.0.0.0:21000"]]);
  });

  test("are found in a shell command, whose other text stays", () => {
    const lines = [
      ["cd /srv && ./server --port 8000 2>&1 | tee 'a  b.log'", 1],
      ["X='1 2' srv  --port=8000  --name \"8000 a\"", 1],
      ["srv --name 'unfinished", 0],
      ["echo 8000", 0],
    ] as const;
    const rewritten = callEach(
      "_programs.rewrite_command(case, {8000: 21000})",
      lines.map(([line]) => line),
    );
    expect(rewritten).toEqual([
      "cd /srv && ./server --port 21000 2>&1 | tee 'a  b.log'",
      "X='1 2' srv  --port=21000  --name \"8000 a\"",
      "srv --name 'unfinished",
      "echo 8000",
    ]);
  });
});

test("Python and its scripts need no other arguments", () => {
  folder.write("bin/of-python", "#!/usr/bin/env python3\n");
  folder.write("bin/of-venv", "#!/opt/venv/bin/python -s\n");
  folder.write("bin/of-node", "#!/usr/bin/env node\n");
  folder.write("bin/of-shell", "#!/bin/sh\n");
  const names = ["of-python", "of-venv", "of-node", "of-shell"];
  for (const name of names) chmodSync(path.join(folder.path, "bin", name), 0o755);
  const programs = [...names, "/bin/sh", process.execPath, "nowhere", python];
  const search = JSON.stringify(`${path.join(folder.path, "bin")}:${process.env.PATH}`);
  // The environment of a program may hold bytes.
  for (const value of [search, `${search}.encode()`]) {
    const found = callEach(`_programs.is_python(case, {"PATH": ${value}}, None)`, programs);
    // The arguments of a missing program stay, so that the error shows what the script wrote.
    expect(found).toEqual([true, true, false, false, false, false, true, true]);
  }
});

/** Server in another language, which gets its port from its arguments. */
const nodeServer = `
const at = process.argv.indexOf("--port");
const host = process.argv[process.argv.indexOf("--host") + 1];
require("http").createServer((_, answer) => answer.end(process.argv.slice(2).join(" ")))
  .listen(Number(process.argv[at + 1]), host);
`;
const command = `[${JSON.stringify(process.execPath)}, "server.cjs", "--host", "0.0.0.0", "--port", "8000"]`;

test.each([
  ["subprocess.run", `subprocess.run(${command})`],
  ["a line of the shell", `subprocess.run(" ".join(${command}), shell=True)`],
  ["os.system", `os.system(" ".join(${command}))`],
  ["os.execv", `os.execv(${command}[0], ${command})`],
  [
    "its own Python",
    `subprocess.run([sys.executable, "-c", 'import subprocess; subprocess.run(${command})'])`,
  ],
])("a server in another language gets its port when started by %s", async (_what, call) => {
  const replica = await folder.start(`import os, subprocess, sys\ndef serve():\n    ${call}\n`, {
    files: { "server.cjs": nodeServer },
  });
  const answer = await replica.answer();
  expect(await answer.text()).toBe(`--host 127.0.0.1 --port ${replica.port}`);
  replica.kill("SIGKILL");
});
