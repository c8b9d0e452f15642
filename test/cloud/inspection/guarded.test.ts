// Configuration from running a script, with refused actions and their place.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { inspectScript } from "../../../source/cloud/inspection/inspect-script.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-guard-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function inspect(text: string, target = "serve", environment: Record<string, string> = {}) {
  const file = path.join(folder, "deploy.py");
  writeFileSync(file, text);
  const told: string[] = [];
  const { PATH = "" } = process.env;
  const found = await inspectScript(file, target, {
    environment: { PATH, ...environment },
    onRun: (sentence) => told.push(sentence),
  });
  return { found, told };
}

test("is announced, and completes what static reading left open", async () => {
  mkdirSync(path.join(folder, "own"));
  writeFileSync(path.join(folder, "own/__init__.py"), "def count(): return len('abc')\n");
  const { found, told } = await inspect(
    `
import os, own, fal
SIZES = (lambda: [0, 1, 2])()
@fal.function(exposed_port=8000, num_gpus=own.count(), max_concurrency=SIZES[-1],
              machine_type=os.environ.get("PRE" + "FIX" + str(SIZES[0]), "GPU"))
def serve(): pass
print("chatter on standard output")
`,
    "serve",
  );
  expect(told).toEqual([
    "Running the top level of deploy.py in a sandbox to determine num_gpus, max_concurrency, machine_type.",
  ]);
  expect(found.config).toMatchObject({
    exposed_port: 8000,
    num_gpus: 3,
    max_concurrency: 2,
    machine_type: "GPU",
  });
  expect(found.dynamic).toEqual([]);
  expect(found.files).toContain("own/__init__.py");
});

test("is skipped when static reading suffices, or when nobody wants it", async () => {
  const { told } = await inspect("import fal\n@fal.function(exposed_port=1)\ndef serve(): pass\n");
  expect(told).toEqual([]);
  writeFileSync(
    path.join(folder, "static.py"),
    "import fal\n@fal.function(exposed_port=ask())\ndef serve(): pass\n",
  );
  const found = await inspectScript(path.join(folder, "static.py"), "serve", { isStatic: true });
  expect(found.dynamic).toEqual(["exposed_port"]);
});

test("finds an object returned by a call", async () => {
  const { found } = await inspect(`
import deployctl
def make(factory): return factory(port=8123)(lambda: None)
serve = make(getattr(deployctl, "app"))
`);
  expect(found).toMatchObject({
    target: "serve",
    kind: "function",
    dialect: "deployctl",
    config: { port: 8123 },
    dynamic: [],
  });
});

test("replaces missing packages by stand-ins, whose values stay open", async () => {
  const { found } = await inspect(`
import no_such_torch as torch
from no_such_library.deep import Base, decorate
@decorate(1)
class Model(Base, option=1):
    pass
@decorate
def helper(): return 2
import fal
@fal.function(exposed_port=helper() * 4000, num_gpus=torch.cuda.device_count())
def serve(): pass
`);
  expect(found.stubbed.toSorted()).toEqual(["no_such_library", "no_such_torch"]);
  expect(found.dynamic).toEqual(["num_gpus"]);
  expect(found.config).not.toHaveProperty("num_gpus");
});

describe("a script being inspected may not", () => {
  const attempt = (statement: string) => `
import os, shutil, socket, subprocess, sys, sqlite3, deployctl
def port(): return 8000
${statement}
@deployctl.app(port=port.__call__())
def serve(): pass
`;
  const file = () => JSON.stringify(path.join(folder, "written"));

  const refused = (port: number): [what: string, statement: string, wish: RegExp][] => [
    ["write a file", `open(${file()}, "w")`, /write .*written/],
    ["open one for writing", `os.open(${file()}, os.O_CREAT | os.O_WRONLY)`, /write/],
    ["make a folder", `os.mkdir(${file()})`, /change .*written/],
    ["remove a file", `os.remove(__file__)`, /change .*deploy\.py/],
    ["rename a file", `os.rename(__file__, ${file()})`, /change/],
    ["remove a tree", `shutil.rmtree(os.path.dirname(__file__))`, /change/],
    ["make a database", `sqlite3.connect(${file()})`, /change|write/],
    ["start a program", `subprocess.run(["touch", ${file()}])`, /start a program/],
    ["start the shell", `os.system("touch " + ${file()})`, /start a program/],
    ["become a program", `os.execvp("touch", ["touch", ${file()}])`, /start a program/],
    ["fork", `os.fork()`, /start a process/],
    ["signal", `os.kill(os.getppid(), 9)`, /signal a process/],
    ["look up a host", `socket.getaddrinfo("example.org", 80)`, /look up a host/],
    ["listen", `socket.socket().bind(("127.0.0.1", 0))`, /use the network/],
    ["connect", `socket.socket().connect(("127.0.0.1", ${port}))`, /use the network/],
  ];

  test("write a file", async () => {
    await expect(inspect(attempt(`open(${file()}, "w")`))).rejects.toMatchObject({
      code: "CLOUD_SCRIPT_INVALID",
      exitCode: 2,
      message: expect.stringMatching(/^deploy\.py:4: .*write .*written/),
    });
    expect(readdirSync(folder)).not.toContain("written");
  });

  test("do anything else either, but can catch the refusals and continue, with warnings", async () => {
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const all = refused(typeof address === "object" ? (address?.port ?? 0) : 0);
    const tries = all.map(([, statement]) => `try:\n    ${statement}\nexcept OSError:\n    pass`);
    const { found } = await inspect(attempt(tries.join("\n")));
    expect(found.config).toEqual({ port: 8000 });
    // A line may be refused several times, as a program is looked for along the PATH.
    const told = found.warnings.map(({ code, line, sentence }) => [line, `${code} ${sentence}`]);
    const lineOf = (index: number) => 5 + 4 * index;
    const expected = all.map(([, , wish], index) => {
      const text = `^guard_refused deploy\\.py:${lineOf(index)} .*(${wish.source})`;
      return [lineOf(index), expect.stringMatching(new RegExp(text))];
    });
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
    expect(connections).toBe(0);
    expect(readdirSync(folder)).not.toContain("written");
    expect(existsSync(path.join(folder, "deploy.py"))).toBe(true);
  });
});

test("temporary files are private and deleted afterwards", async () => {
  const temporary = path.join(folder, "temporary");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { found } = await inspect(`
import os, tempfile, deployctl
with tempfile.NamedTemporaryFile("w") as file:
    file.write("x")
    SIZE = len(file.name.split(os.sep)[-1]) * 0 + 8000
home = os.path.expanduser("~")
open(os.path.join(home, "x"), "w").close()
@deployctl.app(port=SIZE)
def serve(): pass
`);
  expect(found.config).toEqual({ port: 8000 });
  expect(readdirSync(temporary)).toEqual([]);
});

test("shows environment variables that the script reads, but no secrets", async () => {
  const secret = "sk-0123456789abcdef";
  const { found } = await inspect(
    `
import os, deployctl
NAMES = [name for name in ("MY_API_KEY", "OTH" + chr(69) + "R") if name in os.environ]
KEY = os.environ["MY_API_KEY"]
@deployctl.app(port=8000, name=",".join(NAMES), env={"URL": "x" + KEY + "x"})
def serve(): pass
`,
    "serve",
    { MY_API_KEY: secret, OTHER: "1" },
  );
  expect(found.config.name).toBe("MY_API_KEY");
  expect(JSON.stringify(found)).not.toContain(secret);
});

test("a script that never finishes is stopped", async () => {
  const file = path.join(folder, "endless.py");
  writeFileSync(
    file,
    "import deployctl\nX = (lambda: 1)()\n@deployctl.app(port=X)\ndef serve(): pass\nwhile True: pass\n",
  );
  await expect(inspectScript(file, "serve", { runLimitMs: 500 })).rejects.toMatchObject({
    code: "CLOUD_SCRIPT_INVALID",
    message: "endless.py takes too long to load.",
  });
});

test.each([
  ["raises", "{}['a']", /deploy\.py:3: KeyError: 'a'/],
  [
    "lacks a variable",
    "os.environ['MODEL_DIR']",
    /deploy\.py:3: reads MODEL_DIR, which is not set/,
  ],
  ["exits Python", "import sys; sys.exit(1)", /deploy\.py:\S+ loading the script exits Python/],
  ["misses a name of a module", "from os import nothing_there", /deploy\.py:3: ImportError/],
])("reports a script that %s, with its line", async (_what, statement, sentence) => {
  const text = `import deployctl, os\nX = (lambda: 1)()\n${statement}\n@deployctl.app(port=X)\ndef serve(): pass\n`;
  await expect(inspect(text)).rejects.toMatchObject({
    code: "CLOUD_SCRIPT_INVALID",
    message: expect.stringMatching(sentence),
  });
});
