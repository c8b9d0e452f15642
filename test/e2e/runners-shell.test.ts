// Shells next to replicas, in a real pseudo-terminal, and forwarded ports; also from another machine.
import { once } from "node:events";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome, entryFile, fakeServerScript } from "../support/cloud-home.ts";
import { findFreePort } from "../support/command-line.ts";
import { openTerminal, type TestTerminal } from "../support/pty.ts";
import { until } from "../support/until.ts";

let cloud: CloudHome;
/** Words that make a command go through the admin address. */
let fromAfar: string[];
let replica: string;
const opened: TestTerminal[] = [];

beforeAll(async () => {
  cloud = await CloudHome.create();
  const admin = `127.0.0.1:${await findFreePort()}`;
  const environment = { DEPLOYCTL_ADMIN_LISTEN: admin };
  await cloud.json(["up", "--remote-shell", "on"], { environment });
  const key = (await cloud.call(["profile", "key"])).output.trim();
  fromAfar = ["--server", `http://${admin}`, "--key", key];
  cloud.write("app.py", fakeServerScript());
  const words = ["--app-name", "near", "--auth", "public", "--keep-alive", "1h"];
  await cloud.json(["deploy", "app.py", ...words]);
  await useReplica();
});
afterAll(async () => {
  for (const terminal of opened) await terminal.close();
  await cloud.remove();
});

/** Starts a replica if none runs. */
async function useReplica(): Promise<void> {
  await fetch(`http://127.0.0.1:${cloud.gatewayPort}/local/near/v1/models`);
  replica = (await cloud.call(["runners", "list", "--quiet"])).output.trim();
  expect(replica).toMatch(/^\w+$/);
}

async function openShell(...words: string[]): Promise<TestTerminal> {
  const line = [process.execPath, entryFile, "runners", "shell", replica, ...words];
  const terminal = await openTerminal([], {
    shell: `exec ${line.map((word) => `'${word}'`).join(" ")}`,
    home: cloud.folder,
    environment: { ...cloud.home.environment, ...cloud.environment, PS1: "$ " },
  });
  opened.push(terminal);
  await terminal.shows("as the server's user");
  return terminal;
}

async function forward(...words: string[]) {
  const running = cloud.start(["runners", "forward", ...words]);
  const output = await until(running.output, (text) => text.includes("until Ctrl+C"));
  const [, port = ""] = /127\.0\.0\.1:(\d+) is port/.exec(output) ?? [];
  return { ...running, port: Number(port) };
}

describe("runners shell", () => {
  test.each([
    ["on this machine", () => []],
    ["from another machine", () => fromAfar],
  ])(
    "%s has the replica's variables, keys and window, and passes on its exit code",
    async (_where, words) => {
      const shell = await openShell(...words());
      shell.type('echo "port $PORT, replica $DEPLOYCTL_REPLICA, $TERM, $(stty size)"\r');
      await shell.shows(`replica ${replica}, xterm-256color, 30 100`);
      expect(shell.text()).toMatch(/port \d{4,5}, replica/);
      shell.resize(90, 20);
      // The size travels on its own.
      await until(
        () => {
          shell.type("stty size\r");
          return shell.text();
        },
        (text) => text.includes("20 90"),
      );
      const waiting = "trap 'exit 7' INT; echo beg''un; while :; do sleep 0.1; done";
      shell.type(`sh -c "${waiting}"; exit $?\r`);
      await shell.shows("begun");
      shell.type("\u0003");
      expect(await shell.exited).toBe(7);
    },
  );

  test("ends with its replica, and says so", async () => {
    const shell = await openShell();
    shell.type("sleep 1000\r");
    await cloud.json(["runners", "kill", replica]);
    expect(await shell.exited).toBe(5);
    expect(shell.text()).toContain(`Runner ${replica} has ended, and the shell with it.`);
    await useReplica();
    const { output } = await cloud.call(["logs", "near", "--lines", "all"]);
    expect(output).toContain("shell opened by a user of the server's machine");
    expect(output).toMatch(/shell opened by key \w+ from 127\.0\.0\.1/);
    expect(output).toContain("(exit 7)");
  });

  test("needs a terminal", async () => {
    const refused = await cloud.run(["runners", "shell", replica]);
    expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining("runners exec") });
  });
});

describe("runners forward", () => {
  test.each([
    ["on this machine", () => []],
    ["from another machine", () => fromAfar],
  ])(
    "%s reaches the port that the script names, also for clients that end first",
    async (_where, words) => {
      const forwarded = await forward(replica, "0:8000", ...words());
      const base = `http://127.0.0.1:${forwarded.port}`;
      const bodies = await Promise.all(
        ["a", "b", "c"].map(async () => await (await fetch(`${base}/v1/models`)).text()),
      );
      expect(new Set(bodies)).toEqual(new Set([expect.stringContaining("fake-model")]));
      const socket = connect({ port: forwarded.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.end("GET /v1/models HTTP/1.0\r\n\r\n");
      expect(await readText(socket)).toContain("fake-model");
      forwarded.child.kill("SIGINT");
      expect(await forwarded.ended).toMatchObject({ code: 130 });
    },
  );

  test("reports a port that nothing listens on, and goes on", async () => {
    const free = await findFreePort();
    const forwarded = await forward(replica, `0:${free}`);
    const socket = connect(forwarded.port, "127.0.0.1");
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNRESET" });
    forwarded.child.kill("SIGINT");
    const { code, errors } = await forwarded.ended;
    expect(code).toBe(130);
    // Once, although it was tried twice.
    const closed = `Cannot connect to port ${free} next to runner ${replica}: nothing listens there.`;
    expect(errors.split(closed)).toHaveLength(2);
  });

  test("needs a runner that exists", async () => {
    const refused = await cloud.call(["runners", "forward", "nobody", "0:8000"]);
    expect(refused).toMatchObject({ code: 3, errors: expect.stringContaining("nobody") });
  });

  test("needs a free port of this machine", async () => {
    const ports = `${cloud.gatewayPort}:8000`;
    const refused = await cloud.call(["runners", "forward", replica, ports]);
    expect(refused).toMatchObject({ code: 5, errors: expect.stringContaining("already in use") });
  });

  test.each(["0", "x", "1:2:3", "70000", "8000:0", ":8000", "8000:"])(
    "refuses %s",
    async (ports) => {
      const refused = await cloud.call(["runners", "forward", replica, ports]);
      expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining("is not a port") });
    },
  );
});
