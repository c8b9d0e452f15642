// Sandbox around malicious scripts whose configuration is only known by running them.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inspectScript } from "../../../source/cloud/inspection/inspect-script.ts";
import { CloudHome } from "../../support/cloud-home.ts";
import { isAlive } from "../../support/processes.ts";
import { proofCases } from "../../support/proof.ts";

const unconfinable = path.join(import.meta.dirname, "../../fixtures/cloud/python-without-seccomp");
const isConfinable =
  process.platform === "linux" && (process.arch === "x64" || process.arch === "arm64");
const hasNamespaces = spawnSync("unshare", ["-Ur", "true"]).status === 0;

let programs: string;
let folder: string;
let victim: ChildProcess;
let server: Server;
let connections = 0;

beforeAll(async () => {
  programs = mkdtempSync(path.join(tmpdir(), "deployctl-pythons-"));
  server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  rmSync(programs, { recursive: true, force: true });
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-sandbox-"));
  victim = spawn("sleep", ["60"]);
  connections = 0;
});
afterEach(() => {
  victim.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function python(name: string, command: string): string {
  const file = path.join(programs, name);
  writeFileSync(file, `#!/bin/sh\n${command}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Script that runs statements when it is loaded, ignores refusals, and computes its port. */
function harmful(...statements: string[]): string {
  const address = server.address();
  return `import ctypes, gc, os, socket, struct, sys
import deployctl
libc = ctypes.CDLL(None)
libc.syscall.restype = ctypes.c_long
MARK = ${JSON.stringify(path.join(folder, "mark"))}
SELF = __file__
VICTIM = ${victim.pid ?? 0}
PORT = ${typeof address === "object" ? address?.port : 0}
def path(text): return ctypes.c_char_p(text.encode())
def words(*texts): return (ctypes.c_char_p * (len(texts) + 1))(*[text.encode() for text in texts], None)
def touch(): return ("touch " + MARK).encode()
${statements.map(attempt).join("")}@deployctl.app(port=[8000][0] + (lambda: 0)())
def serve(): pass
`;
}

/** Continues with the next statement when it is refused. */
function attempt(statement: string): string {
  return `try:\n${statement.replace(/^/gm, "    ")}\nexcept (OSError, ValueError):\n    pass\n`;
}

async function inspect(text: string, program: string, mayRun?: () => Promise<boolean>) {
  writeFileSync(path.join(folder, "deploy.py"), text);
  const environment = { PATH: process.env.PATH, DEPLOYCTL_PYTHON: program };
  return await inspectScript(path.join(folder, "deploy.py"), "serve", { environment, mayRun });
}

const known = {
  "the C library's system": "libc.system(touch())",
  "the fork of the subprocess module": `import _posixsubprocess, subprocess
class Words(list): pass
read, write = os.pipe()
child = subprocess.Popen.__new__(subprocess.Popen)
arguments = [[b"touch", os.fsencode(MARK)], [b"/usr/bin/touch", b"/bin/touch"], True, (write,), None, None, -1, -1, -1, -1, -1, -1, read, write, True, False]
if sys.version_info >= (3, 11): arguments += [-1]
if sys.version_info >= (3, 9): arguments += [None, None, None, -1]
arguments += [None]
if sys.version_info >= (3, 11): arguments += [False]
_posixsubprocess.fork_exec(*arguments)
os.wait()`,
  "a named pipe": "os.mkfifo(MARK)",
  "a node": "os.mknod(MARK)",
};
const more = {
  "the C library's creat": "libc.creat(path(MARK), 0o600)",
  "a raw system call that opens": `libc.open(path(MARK), os.O_CREAT | os.O_WRONLY, 0o600)`,
  "a fork in C": `child = libc.fork()
if child == 0:
    libc.creat(path(MARK), 0o600)
    os._exit(0)
if child > 0: os.waitpid(child, 0)`,
  "another program in its place": `libc.execv(path("/bin/sh"), words("sh", "-c", touch().decode()))`,
  "a program started in C": `child = ctypes.c_int()
libc.posix_spawn(ctypes.byref(child), path("/bin/sh"), None, None, words("sh", "-c", touch().decode()), None)
if child.value: os.waitpid(child.value, 0)`,
  "Python's guard switched off": `for one in gc.get_objects():
    if type(one).__name__ == "Guard": one._is_on = False
os.system(touch().decode())
open(MARK, "w").close()`,
  "a connection in C": `handle = libc.socket(2, 1, 0)
libc.connect(handle, ctypes.c_char_p(struct.pack("=H", 2) + struct.pack("!H", PORT) + bytes([127, 0, 0, 1]) + bytes(8)), 16)`,
  "a signal in C": "libc.kill(VICTIM, 9)",
  "a signal by a raw system call": `libc.syscall({"x86_64": 234, "aarch64": 131}[os.uname().machine], VICTIM, VICTIM, 9)`,
  "a debugger's hold": `if libc.ptrace(16, VICTIM, None, None) == 0:
    os.waitpid(VICTIM, 0x40000000)
    libc.ptrace(8, VICTIM, None, None)`,
  "its own file emptied": "libc.truncate(path(SELF), ctypes.c_long(0))",
  "its own file emptied by a read": "libc.open(path(SELF), os.O_RDONLY | os.O_TRUNC)",
  "its own file removed": "libc.unlink(path(SELF))",
  "its own file moved": "libc.rename(path(SELF), path(MARK))",
  "a link": "libc.symlink(path(SELF), path(MARK))",
  "a file's rights": "libc.chmod(path(SELF), 0o777)",
  "a ring of system calls": `ring = libc.syscall(425, 8, ctypes.create_string_buffer(256))
if ring >= 0: open(MARK, "w").close()`,
  "a program in memory": `handle = libc.memfd_create(path("x"), 0)
if handle >= 0:
    libc.write(handle, b"#!/bin/sh\\n" + touch(), len(touch()) + 10)
    libc.fexecve(handle, words("x"), words())`,
};
const escapes = { ...known, ...more };

/** Statements that leave marks of their own, so that a successful one is known among many. */
function marked(all: Record<string, string>): string[] {
  return Object.entries(all).map(
    ([name, statement]) =>
      `MARK = ${JSON.stringify(path.join(folder, markOf(name)))}\n${statement}`,
  );
}

/** A name that a shell takes as one word. */
function markOf(name: string): string {
  return `mark-of-${name.replaceAll(/\W+/g, "-")}`;
}

/** Lists the effects of successful escapes. */
function harm(text: string): string[] {
  const file = path.join(folder, "deploy.py");
  const isWhole = readdirSync(folder).includes("deploy.py") && readFileSync(file, "utf8") === text;
  return [
    ...(isWhole ? [] : ["the script was changed"]),
    ...readdirSync(folder).filter((name) => name !== "deploy.py"),
    ...(isAlive(victim.pid ?? 0) ? [] : ["the other process was ended"]),
    ...(connections > 0 ? ["there was a connection"] : []),
  ];
}

describe.skipIf(!isConfinable)("in the sandbox", () => {
  test("no escape has an effect", async () => {
    const text = harmful(...marked(escapes));
    const { config } = await inspect(text, "python3");
    expect(harm(text)).toEqual([]);
    // The script finished, so each of them was tried.
    expect(config).toEqual({ port: 8000 });
  });

  test.each(proofCases([], Object.entries(escapes)))("%s alone has no effect", async (_, one) => {
    const text = harmful(one);
    await inspect(text, "python3");
    expect(harm(text)).toEqual([]);
  });

  test("threads and temporary files work", async () => {
    const found = await inspect(
      harmful(`import tempfile, threading
with tempfile.NamedTemporaryFile("w") as file: file.write("x")
thread = threading.Thread(target=lambda: None)
thread.start()
thread.join()`),
      "python3",
    );
    expect(found.config).toEqual({ port: 8000 });
    expect(found.warnings).toEqual([]);
  });
});

describe.skipIf(!isConfinable || !hasNamespaces)("in a user namespace", () => {
  const refuse = "echo 0 > /proc/sys/user/max_user_namespaces";
  test.each([
    ["whose rights are all of it", 'exec unshare -Ur python3 "$@"'],
    ["that allows no other", `exec unshare -Ur sh -c '${refuse}; exec python3 "$@"' sh "$@"`],
  ])("%s, no escape works", async (name, command) => {
    const program = python(name.replaceAll(" ", "-"), command);
    const text = harmful(...marked(escapes));
    const { config } = await inspect(text, program);
    expect(harm(text)).toEqual([]);
    // The script finished, so each of them was tried.
    expect(config).toEqual({ port: 8000 });
  });
});

describe.skipIf(!isConfinable)("a system that cannot confine it", () => {
  test("runs nothing without confirmation, and says why", async () => {
    const text = harmful("open(MARK, 'w').close() if False else libc.creat(path(MARK), 0o600)");
    await expect(inspect(text, unconfinable)).rejects.toMatchObject({
      code: "CLOUD_SCRIPT_NOT_RUN",
      exitCode: 2,
      hint: expect.stringContaining("--yes-run"),
    });
    await expect(inspect(text, unconfinable, async () => false)).rejects.toMatchObject({
      message: expect.stringContaining("seccomp: Invalid argument"),
    });
    expect(harm(text)).toEqual([]);
    const found = await inspect(text, unconfinable, async () => true);
    expect(found.config).toEqual({ port: 8000 });
    expect(harm(text)).toEqual(["mark"]);
  });

  test("would let known escapes do harm", async () => {
    const text = harmful(...marked(known));
    await inspect(text, unconfinable, async () => true);
    expect(harm(text).sort()).toEqual(Object.keys(known).map(markOf).sort());
  });

  test("the command names --yes-run without a terminal, and accepts it or --static", async () => {
    const cloud = await CloudHome.create();
    try {
      cloud.write("deploy.py", harmful("pass"));
      const options = { environment: { DEPLOYCTL_PYTHON: unconfinable } };
      const refused = await cloud.call(["inspect", "deploy.py"], options);
      expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining("--yes-run") });
      const taken = await cloud.call(["inspect", "deploy.py", "--yes-run"], options);
      expect(taken).toMatchObject({ code: 0, output: expect.stringContaining("port=8000") });
      expect(taken.errors).toContain("deploy.py runs with your permissions");
      const read = await cloud.call(["inspect", "deploy.py", "--static"], options);
      expect(read).toMatchObject({ code: 0, output: expect.stringContaining("Known only by") });
    } finally {
      await cloud.remove();
    }
  });
});
