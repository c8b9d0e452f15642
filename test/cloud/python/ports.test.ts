// Port map: scripts with port 8000 get their own ports, on loopback.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canConnect } from "../../../source/cloud/engines/ready-probe.ts";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { onLoopback } from "../../../source/cloud/replica-address.ts";
import { python, ScriptFolder } from "../../support/replica-runner.ts";

let folder: ScriptFolder;

beforeAll(() => {
  folder = new ScriptFolder();
});
afterAll(async () => await folder.remove());

/** Python child that binds port 8000, as most servers do, and returns facts about itself. */
const server = `
import http.server, json, os, socket, urllib.request

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/self":
            body = urllib.request.urlopen("http://localhost:8000/name").read()
        else:
            body = json.dumps({"bound": self.server.socket.getsockname()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    address_family = getattr(socket, os.environ.get("FAMILY", "AF_INET"))

Server((os.environ.get("HOST", "0.0.0.0"), 8000), Handler).serve_forever()
`;
const script = `
import subprocess, sys
def serve():
    subprocess.run([sys.executable, "server.py"])
`;

async function startServer(environment: Record<string, string> = {}) {
  return await folder.start(script, { environment, files: { "server.py": server } });
}

describe("a Python server in a child process", () => {
  test("binds the replica's port, and its own check of 8000 reaches it", async () => {
    const replica = await startServer();
    const answer = await replica.answer("/self");
    expect(await answer.json()).toEqual({ bound: ["127.0.0.1", replica.port] });
  });

  test("runs several times side by side", async () => {
    const replicas = await Promise.all(Array.from({ length: 3 }, () => startServer()));
    const answers = await Promise.all(replicas.map((replica) => replica.answer("/self")));
    const bound = await Promise.all(answers.map(async (one) => (await one.json()) as unknown));
    expect(bound).toEqual(replicas.map(({ port }) => ({ bound: ["127.0.0.1", port] })));
    expect(new Set(replicas.map(({ port }) => port)).size).toBe(3);
    for (const replica of replicas) replica.kill("SIGKILL");
  });

  test("is unreachable at the machine's other addresses", async () => {
    const replica = await startServer();
    await replica.answer();
    const outer = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === "IPv4" && !one.internal);
    const listening = listeningAddresses(replica.port);
    expect(listening).toEqual(["0100007F"]);
    if (outer !== undefined) {
      await expect(fetch(`http://${outer.address}:${replica.port}/`)).rejects.toThrow();
    }
  });

  test.each([
    ["every address of IPv6", { FAMILY: "AF_INET6", HOST: "::" }],
    ["an empty host", { HOST: "" }],
    ["loopback by its name", { HOST: "localhost" }],
  ])("that binds %s answers at the gateway's address", async (_what, environment) => {
    const replica = await startServer(environment);
    expect((await replica.answer()).status).toBe(200);
  });

  test("keeps its address if that is allowed", async () => {
    const replica = await startServer({ DEPLOYCTL_BIND_ANY: "1" });
    const answer = await replica.answer();
    expect(await answer.json()).toEqual({ bound: ["0.0.0.0", replica.port] });
  });
});

test("asyncio in the script itself is mapped: server and client", async () => {
  const replica = await folder.start(`
import asyncio
async def answer(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nhi")
    await writer.drain()
    writer.close()
async def serve():
    server = await asyncio.start_server(answer, "0.0.0.0", 8000)
    reader, writer = await asyncio.open_connection("127.0.0.1", 8000)
    writer.write(b"GET / HTTP/1.1\\r\\n\\r\\n")
    print((await reader.read()).decode().split()[-1], flush=True)
    await server.serve_forever()
`);
  expect(await (await replica.answer()).text()).toBe("hi");
  await replica.printed("hi");
});

test.each([["AF_INET"], ["AF_INET6"]])(
  "a dual-stack server answers the gateway, %s first",
  async (first) => {
    // asyncio binds in any order.
    const replica = await folder.start(
      `
import os, select, socket
def serve():
    families = sorted([socket.AF_INET, socket.AF_INET6], key=lambda one: one.name != os.environ["FIRST"])
    sockets = [socket.socket(family) for family in families]
    for one in sockets:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if one.family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(("::" if one.family == socket.AF_INET6 else "0.0.0.0", 8000))
    for one in sockets:
        one.listen()
    while True:
        for ready in select.select(sockets, [], [])[0]:
            connection = ready.accept()[0]
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nhi")
            connection.close()
`,
      { environment: { FIRST: first } },
    );
    expect(await (await replica.answer()).text()).toBe("hi");
  },
);

test("other ports and kinds of sockets are unchanged", async () => {
  const replica = await folder.start(`
import os, socket
def serve():
    any_port = socket.socket()
    any_port.bind(("127.0.0.1", 0))
    print("free", any_port.getsockname()[1] not in (0, 8000), flush=True)
    path = os.path.abspath("local.sock")
    local = socket.socket(socket.AF_UNIX)
    local.bind(path)
    print("local", local.getsockname() == path, flush=True)
    for wrong in (("127.0.0.1",), ("127.0.0.1", "8000"), 5):
        try:
            socket.socket().bind(wrong)
        except Exception as error:
            print(type(error).__name__, flush=True)
`);
  expect(await replica.ended).toBe(0);
  const told = replica.output.split("\n").filter((line) => !line.includes("@deployctl"));
  expect(told.join(" ")).toBe("free True local True TypeError TypeError TypeError ");
});

test("a client reaches the replica's port only on this machine", () => {
  const code = `
import os, socket
os.environ["DEPLOYCTL_PORT_MAP"] = "8000:21000"
socket.socket.connect = lambda self, address: print(address)
from deployctl import _ports
_ports.install()
for address in [("localhost", 8000), ("127.0.0.2", 8000), ("0.0.0.0", 8000), ("10.1.2.3", 8000),
                ("example.org", 8000), ("localhost", 8001), ("::1", 8000, 0, 0)]:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    socket.socket(family).connect(address)
socket.socket(socket.AF_UNIX).connect("8000")
`;
  const output = execFileSync(python, ["-c", code], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PYTHONPATH: path.join(pythonFolder(), "shim") },
  });
  expect(output.trim().split("\n")).toEqual([
    "('localhost', 21000)",
    "('127.0.0.2', 21000)",
    "('0.0.0.0', 21000)",
    "('10.1.2.3', 8000)",
    "('example.org', 8000)",
    "('localhost', 8001)",
    "('::1', 21000, 0, 0)",
    "8000",
  ]);
});

test("DEPLOYCTL_PORT_REWRITE=none maps nothing", async () => {
  const replica = await folder.start(
    `
import socket
def serve():
    one = socket.socket()
    one.bind(("127.0.0.1", int(__import__("os").environ["SAID"])))
    print("bound", one.getsockname()[1], flush=True)
`,
    {
      environment: {
        DEPLOYCTL_PORT_REWRITE: "none",
        DEPLOYCTL_PORT_MAP: "29871:29872",
        SAID: "29871",
      },
    },
  );
  expect(await replica.ended).toBe(0);
  expect(replica.output).toContain("bound 29871");
});

test("the user's own sitecustomize is loaded too, in the script's children", async () => {
  const replica = await folder.start(
    `
import subprocess, sys
def serve():
    subprocess.run([sys.executable, "-c", "import sitecustomize; print(sitecustomize.OWN)"])
`,
    {
      files: { "own/sitecustomize.py": "OWN = 'mine'\n" },
      environment: { PYTHONPATH: path.join(folder.path, "own") },
    },
  );
  expect(await replica.ended).toBe(0);
  expect(replica.output).toContain("mine");
});

test("deployctl.port() and replica_id() return the replica's values", async () => {
  const replica = await folder.start(
    "import deployctl\ndef serve(): print(deployctl.port(), deployctl.replica_id())\n",
  );
  expect(await replica.ended).toBe(0);
  expect(replica.output).toContain(`${replica.port} replica-1`);
  expect(await canConnect(onLoopback(replica.port), 500)).toBe(false);
});

/** Returns the local addresses of listeners on an IPv4 port, in the kernel's hexadecimal form. */
function listeningAddresses(port: number): string[] {
  const digits = port.toString(16).toUpperCase().padStart(4, "0");
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${digits}`) && state === "0A")
    .map(([, local = ""]) => local.split(":")[0] ?? "");
}
