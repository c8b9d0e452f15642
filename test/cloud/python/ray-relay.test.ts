// The Ray wrapper's relay between an ASGI server and servers that break off.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { fastapiPython } from "../../support/fastapi-environment.ts";
import { until } from "../../support/until.ts";

const host = path.join(repositoryFolder, "test/fixtures/cloud/relay-host.py");
let child: ChildProcess | undefined;
let output = "";
let url: string;
let upstream: Server;
/** Requests that the server got. */
let heads: string[] = [];
/** The server's behaviour towards a request. */
let behave: (socket: Socket, data: string) => void = () => {};
const sockets = new Set<Socket>();

beforeAll(async () => {
  // Has the same aiohttp and uvicorn as Ray, at half its size, and other tests use it.
  const python = await fastapiPython();
  if (python === undefined) return;
  upstream = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.setEncoding("latin1").once("data", (data: string) => {
      heads.push(data);
      behave(socket, data);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as { port: number };
  child = spawn(python, [host, pythonFolder(), String(port)], {
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const text = await until(
    () => output,
    (it) => it.includes("listens "),
  );
  url = `http://127.0.0.1:${/listens (\d+)/.exec(text)?.[1]}/app`;
}, 180_000);
afterAll(() => {
  child?.kill("SIGKILL");
  for (const socket of sockets) socket.destroy();
  upstream?.close();
});
beforeEach(({ skip }) => {
  if (child === undefined) skip("there is no package index");
  heads = [];
});

test("leaves out headers of the connection, adds none, and changes no byte", async () => {
  behave = (socket) => {
    const body = gzipSync("some text");
    socket.write(
      "HTTP/1.1 404 Not Here\r\nconnection: x-own\r\nx-own: 1\r\nX-Kept: 2\r\nX-Kept: 3\r\n" +
        `x-dctl-replica: forged\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.end(body);
  };
  const answer = await fetch(`${url}/%7Ea//b?x=%00&y`, { headers: { "x-sent": "1" } });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("x-kept")).toBe("2, 3");
  expect(answer.headers.get("x-own")).toBeNull();
  expect(answer.headers.get("x-dctl-replica")).toBe("alive");
  expect(await answer.text()).toBe("some text");
  expect(heads[0]).toMatch(/^GET \/%7Ea\/\/b\?x=%00&y HTTP\/1\.1\r\n/);
  expect(heads[0]?.toLowerCase()).toContain("\nx-sent: 1");
  expect(heads[0]?.toLowerCase()).not.toContain("aiohttp");
});

test("a server that closes without a reply, and lives on, gives 502", async () => {
  behave = (socket) => socket.destroy();
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get("x-dctl-replica")]).toEqual([502, "alive"]);
});

test("a reply that ends with its connection is whole while the server lives", async () => {
  behave = (socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nall of it");
  expect(await (await fetch(url)).text()).toBe("all of it");
});

test("a reply cut in the middle breaks the client's connection", async () => {
  behave = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    setTimeout(() => socket.destroy(), 50);
  };
  const answer = await fetch(url);
  await expect(answer.text()).rejects.toThrow();
});

test("a client that leaves ends the request to the server", async () => {
  const closed = new Promise((resolve) => {
    behave = (socket) => {
      socket.once("close", resolve);
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    };
  });
  const leave = new AbortController();
  const answer = await fetch(url, { signal: leave.signal });
  await answer.body?.getReader().read();
  leave.abort();
  await closed;
});

test("a server that is gone gives 503 with the marker, and cuts what it had begun", async () => {
  behave = (socket) => {
    socket.write("HTTP/1.0 200 OK\r\n\r\nhalf");
    setTimeout(() => {
      upstream.close();
      socket.end();
    }, 50);
  };
  const cut = await fetch(url);
  await expect(cut.text()).rejects.toThrow();
  const answer = await fetch(url, { method: "POST", body: "x" });
  expect([answer.status, answer.headers.get("x-dctl-replica")]).toEqual([503, "dead"]);
  // Comes by a pipe, so perhaps after the answer.
  await expect.poll(() => output).toContain("gave up");
});
