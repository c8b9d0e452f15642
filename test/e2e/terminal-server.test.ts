// Full program: the built one in a pseudo-terminal, with a real server and model.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readServerFile } from "../../source/client/server-file.ts";
import { freePort, openTerminal, type TerminalOptions, type TestTerminal } from "../support/pty.ts";
import { sharedServer } from "../support/shared-server.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const entry = path.join(import.meta.dirname, "..", "..", "dist", "cli.js");
const altThree = "\u001b3";
const run = promisify(execFile);

let terminal: TestTerminal | undefined;
afterEach(async () => {
  await terminal?.close();
  terminal = undefined;
});

async function open(words: string[], options: TerminalOptions = {}): Promise<TestTerminal> {
  terminal = await openTerminal(words, options);
  await terminal.takesKeys();
  return terminal;
}

/** Creates a home and an address for one test. */
async function ownHost(): Promise<{ url: string; environment: Record<string, string> }> {
  const host = `127.0.0.1:${await freePort()}`;
  return { url: `http://${host}`, environment: { MODELCTL_HOST: host } };
}

async function ask(url: string, body: object): Promise<number> {
  const reply = await fetch(`${url}/api/generate`, { method: "POST", body: JSON.stringify(body) });
  await reply.text();
  return reply.status;
}

/** Returns the open files of a process on Linux. */
function openFiles(pid = 0): string {
  const folder = `/proc/${pid}/fd`;
  if (process.platform !== "linux") return "";
  return readdirSync(folder)
    .map((name) => {
      try {
        return readlinkSync(path.join(folder, name));
      } catch {
        return ""; // closed in between
      }
    })
    .join("\n");
}

/** Reads a stream that lasts until the client leaves. */
async function readStream(url: string, model: string) {
  const leaving = new AbortController();
  const reply = await fetch(`${url}/api/generate`, {
    method: "POST",
    body: JSON.stringify({
      model,
      prompt: "Write a long story.",
      format: { type: "array", items: { type: "integer" }, minItems: 100_000 },
      options: { num_predict: 30_000, num_ctx: 32_768 },
    }),
    signal: leaving.signal,
  });
  let text = "";
  const decode = (piece: Uint8Array) => {
    text += new TextDecoder().decode(piece);
  };
  const read = reply.body?.pipeTo(new WritableStream({ write: decode }));
  return {
    text: () => text,
    leave: async () => {
      leaving.abort();
      await expect(read).rejects.toThrow("aborted");
    },
  };
}

/** Types before the program takes keys, which the terminal must not echo. */
async function typeEarly(program: TestTerminal): Promise<void> {
  await until(program.raw, (bytes) => bytes !== "");
  program.type("typed early");
  await program.shows("> typed early");
  const [first = ""] = program.raw().split("typed early");
  expect(first).toMatch(/> [^\n]*$/);
}

/** Stops the server of a home after the test. */
function endServerLater(home: string): void {
  const server = readServerFile(path.join(home, ".local", "state", "modelctl"));
  if (server !== undefined) onTestFinished(() => void process.kill(server.pid, "SIGTERM"));
}

const hasTmux = await run("tmux", ["-V"]).then(
  () => true,
  () => false,
);

describe("the Server screen", () => {
  it("lists other programs' requests, and stops, starts, moves and changes the server", async () => {
    const { url, environment } = await ownHost();
    const program = await open([], { columns: 140, rows: 40, environment });
    await program.shows("Send a message");
    expect(await ask(url, { model: "tiny", prompt: "What is 2 + 3?", stream: false })).toBe(200);
    program.type(altThree);
    await program.shows("[3 Server]");
    await program.shows("/api/generate");
    await program.shows("✓ 200");
    await program.shows("CPU");
    // modelctl's own requests are hidden until the key a shows them.
    await program.shows(" 1 of 1 ");
    program.type("a");
    await program.shows("own shown");
    await program.showsNot(" 1 of 1 ");
    program.type("aP");
    await program.shows("Record prompts, answers and bodies");
    program.type("y");
    await program.shows("Requests (recording prompts)");
    program.type("S");
    await program.shows("Stop the server on");
    program.type("y");
    await program.shows("The server is stopped");
    await expect(fetch(`${url}/api/version`)).rejects.toThrow();
    program.type("S");
    await program.shows("The server is listening on");
    expect((await fetch(`${url}/api/version`)).status).toBe(200);

    program.type("S");
    await program.shows("Stop the server on");
    program.type("y");
    await program.shows("The server is stopped");
    const stranger = createServer((_request, reply) => reply.end("a stranger"));
    await new Promise<void>((resolve) => stranger.listen(Number(new URL(url).port), resolve));
    onTestFinished(() => void stranger.close());
    program.type("S");
    await program.shows("is already in use");
    // The program that uses the port is named if the system reports it.
    if (process.platform === "linux") await program.shows(`(${process.pid})`);
    program.type("p");
    await program.shows("The server is listening on");
    const moved = /listening on (http:\S+)/.exec(program.text())?.[1] ?? "";
    expect(moved).not.toBe(url);

    program.type("o");
    await program.shows("Server settings");
    program.type("require a key");
    await program.shows("> Require a key");
    program.type("\r");
    await program.shows("always, except");
    program.type("always");
    await program.shows("> always");
    program.type("\r");
    await program.shows("> Start with these settings");
    program.type("\r");
    await program.shows("Restart the server on");
    program.type("y");
    await program.showsNot("starting the server");
    await until(
      async () => (await fetch(`${moved}/v1/models`).catch(() => undefined))?.status,
      (status) => status === 401,
    );
  });

  it("shows another program's server and survives its end", async () => {
    const first = await TestServer.start();
    onTestFinished(async () => await first.close());
    const { url } = first;
    const program = await open(["--connect", url], { columns: 120, rows: 40 });
    await program.shows("Send a message");
    program.type(altThree);
    await program.shows("[3 Server]");
    program.type("a");
    await program.shows("/v1/models/tiny");
    program.type("a");
    await program.showsNot("/v1/models/tiny");
    await first.close();
    await program.shows("Down for");
    const { port, hostname } = new URL(url);
    const address = { host: hostname, port: Number(port), scheme: "http", path: "" } as const;
    const second = await TestServer.start({}, { address });
    onTestFinished(async () => await second.close());
    await program.showsNot("Down for");
    expect(await ask(url, { model: "nobody", prompt: "Hi", stream: false })).toBe(404);
    await program.shows("/api/generate");
    program.type("\u0003\u0003");
    expect(await program.exited).toBe(130);
  });
});

describe("the program", () => {
  let environment: Record<string, string>;
  beforeAll(async () => {
    environment = { MODELCTL_HOST: new URL((await sharedServer()).url).host };
  });

  it("keeps what is typed before its server runs, which stays for other clients", async () => {
    const own = await ownHost();
    terminal = await openTerminal([], { environment: own.environment });
    const { home } = terminal;
    // The terminal still echoes the first words.
    terminal.type("What is ");
    await terminal.takesKeys();
    terminal.type("2 + 3?\r");
    await terminal.shows("2 + 3 = 5");
    const { lines } = terminal;
    await until(
      () => lines()[0] ?? "",
      (tabs) => /^ modelctl {2}\[1 Chat\] .* tiny /.test(tabs),
    );
    expect(await ask(own.url, { model: "tiny", prompt: "Hi", stream: false })).toBe(200);
    terminal.type("\u0004");
    await terminal.shows("Quit? Another client used the server");
    terminal.type("\r");
    endServerLater(home);
    expect(await terminal.exited).toBe(0);
    expect(terminal.buffer()).toBe("normal");
    expect(terminal.text()).toContain(`The server keeps running at ${own.url}`);
    expect(await ask(own.url, { model: "tiny", prompt: "Hi", stream: false })).toBe(200);
  });

  it("quits without its server, which keeps address, models, log and streams", async () => {
    const { url, environment: address } = await ownHost();
    const shell = `set -m; '${process.execPath}' '${entry}'; echo "back with $?"; stty -a; read word`;
    terminal = await openTerminal([], { shell, environment: address });
    const { home } = terminal;
    await terminal.takesKeys();
    await terminal.send("What is 2 + 3?");
    await terminal.shows("2 + 3 = 5");
    endServerLater(home);
    await fetch(`${url}/api/copy`, {
      method: "POST",
      body: JSON.stringify({ source: "tiny", destination: "other" }),
    });
    const stream = await readStream(url, "other");
    const before = readServerFile(path.join(home, ".local", "state", "modelctl"));
    terminal.type("\u0004");
    await terminal.shows("Quit? Other clients have 1 running request");
    terminal.type("\r");
    await terminal.shows("back with 0");
    const requests = await (await fetch(`${url}/api/requests`)).text();
    expect(requests).toContain('"state":"running"');
    expect(requests).toContain("/api/chat");
    const { models } = await (await fetch(`${url}/api/ps`)).json();
    expect(models.map(({ name }: { name: string }) => name).sort()).toEqual([
      "other:latest",
      "tiny:latest",
    ]);
    await until(terminal.text, (text) => / icanon /.test(text));
    expect(openFiles(before?.pid)).not.toContain("/dev/pts");
    // Ends the shell, and with it the terminal.
    terminal.type("\n");
    await terminal.exited;
    const length = stream.text().length;
    await until(stream.text, (text) => text.length > length + 1000);
    await stream.leave();
    expect(readServerFile(path.join(home, ".local", "state", "modelctl"))).toEqual(before);
  });

  it.each(["SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "ends with its server on %s",
    async (signal) => {
      const { url, environment: address } = await ownHost();
      const program = await open([], { environment: address });
      await program.shows("Send a message");
      expect((await fetch(`${url}/api/version`)).status).toBe(200);
      process.kill(program.program.pid, signal);
      await program.exited;
      await until(
        async () => await fetch(`${url}/api/version`).catch(() => undefined),
        (answer) => answer === undefined,
      );
    },
  );

  it("suspends on Ctrl+Z, resumes with fg, and takes the terminal back from $EDITOR", async () => {
    const shell = `set -m; '${process.execPath}' '${entry}' run tiny; echo in the shell; read word; fg`;
    const editor = { EDITOR: "sed -i -e s/early/half/" };
    const program = await open([], { shell, environment: { ...environment, ...editor } });
    await program.shows("Send a message");
    program.type("early a message");
    await program.shows("> early a message");
    program.type("\u0007");
    await program.shows("> half a message");
    program.type("\u001a");
    await program.shows("in the shell");
    expect(program.buffer()).toBe("normal");
    program.type("go on\n");
    await program.shows("> half a message");
    expect(program.buffer()).toBe("alternate");
    program.type(" and the rest");
    await program.shows("> half a message and the rest");
    // Ends the shell's child first, as it would outlive a killed shell.
    program.type("\u0003\u0003\u0003");
    await program.exited;
  });

  it("never lets the terminal echo keys typed early, and runs inline without colours", async () => {
    terminal = await openTerminal(["--inline", "--theme", "mono"], {
      rows: 40,
      environment: { ...environment, FORCE_COLOR: "1" },
    });
    const program = terminal;
    await typeEarly(program);
    program.type("\u0015");
    await program.shows("Send a message");
    expect(program.raw()).not.toContain("\u001b[?1049h");
    await program.send("What is 2 + 3?");
    await program.shows("2 + 3 = 5");
    await program.send("/bye");
    expect(await program.exited).toBe(0);
    expect(program.text()).toContain("2 + 3 = 5");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    expect(program.raw()).not.toMatch(/\u001b\[(3[1-7]|9[0-7])m/);
  });

  it("prints lines for a screen reader", async () => {
    const program = await open(["run", "tiny", "--screen-reader"], { environment });
    await program.shows("Message:");
    program.type("What is 2 + 3?");
    await program.shows("Message: What is 2 + 3?");
    program.type("\r");
    await program.shows("Assistant: 2 + 3 = 5");
    expect(program.raw()).not.toContain("\u001b[?1049h");
    expect(program.text()).not.toMatch(/[╭│█▁]/);
  });

  it.runIf(hasTmux)("accepts keys, pastes and a resized window in tmux", async () => {
    const home = mkdtempSync(path.join(tmpdir(), "modelctl-tmux-"));
    const socket = path.join(home, "tmux");
    const tmux = async (...words: string[]) =>
      (await run("tmux", ["-S", socket, "-f", "/dev/null", ...words])).stdout;
    onTestFinished(async () => {
      await tmux("kill-server").catch(() => {});
      rmSync(home, { recursive: true, force: true });
    });
    const variables = { HOME: home, LANG: "C.UTF-8", CI: "false", ...environment };
    const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const command = ["env", ...assignments, process.execPath, entry, "run", "tiny"];
    await tmux("new-session", "-d", "-x", "100", "-y", "30", command.join(" "));
    const shows = async (text: string) =>
      await until(
        () => tmux("capture-pane", "-p"),
        (screen) => screen.includes(text),
      );
    await shows("Send a message");
    await tmux("set-buffer", "Repeat after me:\nhello world");
    await tmux("paste-buffer", "-p");
    await shows("hello world");
    await tmux("send-keys", "C-u", "C-u", "C-u");
    await tmux("send-keys", "-l", "What is 2 + 3?");
    await shows("> What is 2 + 3?");
    await tmux("send-keys", "Enter");
    await shows("2 + 3 = 5");
    await tmux("resize-window", "-x", "70", "-y", "20");
    await shows("2 + 3 = 5");
    await tmux("send-keys", "M-3");
    await shows("[3 Server]");
    await tmux("send-keys", "Escape");
    await tmux("send-keys", "C-d");
  });
});
