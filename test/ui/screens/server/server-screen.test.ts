// Tests that the Server screen shows what happens on a server, and controls it.
// Runs the whole program in an in-memory terminal, with a real server and the tiny model.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ServerControl, ServerSettings } from "../../../../source/ui/app/server-access.ts";
import { TestServer } from "../../../support/test-server.ts";
import { type OpenApp, openApp } from "../../support/open-app.ts";
import { keys } from "../../support/sized-terminal.ts";

const altThree = "\u001b3";

/** Without requests of others. */
let idle: TestServer;
/** Records prompts. */
let recording: TestServer;
beforeAll(async () => {
  idle = await TestServer.start();
  recording = await TestServer.start({ log_prompts: true });
});
afterAll(async () => {
  await idle.close();
  await recording.close();
});

async function openServerScreen(options: Parameters<typeof openApp>[0] = {}): Promise<OpenApp> {
  const app = await openApp(options);
  app.screen.type(altThree);
  await app.screen.until("[3 Server]");
  return app;
}

/** The rows of the table, without border. */
function requests({ screen }: OpenApp): string[] {
  return screen.lines.filter((line) => /^│ [> ] \d\d:/.test(line)).map((line) => line.slice(2));
}

test("requests appear, are filtered, and are read in full once recorded", async () => {
  const app = await openServerScreen();
  const { screen, server } = app;
  await screen.until(/RAM .* GiB/);
  screen.type("P");
  await screen.until("Record prompts, answers and bodies of all clients");
  screen.type("y");
  await screen.until("Requests (recording prompts)");
  await server.ask("What is the capital of France?");
  await screen.until(/> \d\d:\d\d:\d\d r-\S+ +POST +\/api\/generate +tiny +✓ 200/);
  await server.post("/v1/chat/completions", { model: "nope", messages: [] });
  await screen.until(/✗ 4\d\d/);
  expect(requests(app)).toHaveLength(2);

  screen.type("/model:tiny");
  await screen.until("1 of 2");
  expect(requests(app)).toHaveLength(1);
  screen.type(keys.enter);
  await screen.until("/ filter");
  screen.type(keys.enter);
  await screen.until("The capital of France is Paris.");
  expect(screen.text).toContain("What is the capital of France?");
  expect(screen.text).toMatch(/prompt [\d.]+ m?s \(\d+ tokens/);
  screen.type(keys.escape);
  await screen.until("filter model:tiny");
  screen.type(keys.escape);
  await screen.until("1 of 2 · End follow");
  screen.type("ffff");
  await screen.until("status 4xx");
  expect(requests(app)).toHaveLength(1);
});

test("a running request counts up in its row until it is cancelled", async () => {
  const app = await openServerScreen({ settings: { num_thread: 1 } });
  const { screen, server } = app;
  const answer = server.post("/api/generate", {
    model: "tiny",
    prompt: "Write a long story.",
    stream: false,
    // Takes seconds, however fast the model is.
    format: { type: "array", items: { type: "integer" }, minItems: 300 },
  });
  await screen.until(/◐ stream/);
  screen.type("x");
  await screen.until(/Cancelled r-/);
  expect((await answer).status).toBe(499);
  await screen.until("cancelled on the Server screen");
  expect(requests(app)[0]).toContain("⊘ cancelled");
});

test("a request can be copied, replayed and exported", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "server-screen-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const app = await openServerScreen({ sharedServer: recording });
  const { screen, server } = app;
  await server.ask("What is 2 + 3?");
  await screen.until(/✓ 200/);
  screen.type("y");
  await screen.until(/Copied \d+ characters/);
  const [encoded = ""] = screen.bytes.split("\u001b]52;c;")[1]?.split("\u0007") ?? [];
  const copied = Buffer.from(encoded, "base64").toString();
  expect(copied).toContain(`curl ${server.url}/api/generate`);
  expect(copied).toContain('"prompt":"What is 2 + 3?"');

  screen.type("R");
  await screen.until(/Replay POST \/api\/generate\? Sends \d+ B\./);
  screen.type("y");
  await screen.until(/Replay of r-\S+ ended with status 200/);
  expect(
    (await server.requests()).filter(({ path: asked }) => asked === "/api/generate"),
  ).toHaveLength(2);

  const file = path.join(folder, "out.ndjson");
  screen.type("E");
  await screen.until("as JSON lines to");
  screen.type(`\u0015${file}`);
  screen.type(keys.enter);
  await screen.until("Exported 2 requests");
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).path)).toEqual(["/api/generate", "/api/generate"]);
  screen.type("E");
  await screen.until("as JSON lines to");
  screen.type(`\u0015${file}`);
  screen.type(keys.enter);
  await screen.until(/Replace \S*\?/);
});

test("a pause freezes the rows, and End follows again", async () => {
  const app = await openServerScreen();
  const { screen, server } = app;
  await server.send("/v1/models");
  await screen.until("1 of 1");
  screen.type(" ");
  await screen.until("PAUSED +0");
  await server.send("/v1/models");
  await screen.until("PAUSED +1");
  expect(requests(app)).toHaveLength(1);
  screen.type(" ");
  await screen.until("2 of 2");
  screen.type(keys.up);
  await screen.until("1 of 2 · End follow");
  screen.type(keys.end);
  await screen.until("FOLLOW");
});

test("a dead server is reported, and found again when it returns", async () => {
  const app = await openServerScreen();
  const { screen, server } = app;
  await server.send("/v1/models");
  await screen.until("1 of 1");
  await screen.until(/up \d+ s/);
  await server.close();
  await screen.until("Down for");
  expect(screen.text).toContain("1 of 1");
  expect(screen.lines[0]).toContain(" down");
  const { port, hostname } = new URL(server.url);
  const address = { host: hostname, port: Number(port), scheme: "http", path: "" } as const;
  const next = await TestServer.start({}, { address });
  onTestFinished(() => next.close());
  await screen.until(
    (now) => !now.text.includes("Down for") && !(now.lines[0] ?? "").includes(" down"),
  );
  await next.send("/v1/models");
  await screen.until("2 of 2");
});

/** A fake server control, whose start fails until the test allows it. */
class SampleControl implements ServerControl {
  isUp = true;
  failure: { message: string; code: string } | undefined;
  warned: string | undefined;
  used: string | undefined;
  now: ServerSettings = { host: "127.0.0.1", port: 11434, requireKey: "auto", origins: [] };
  readonly isRunning = () => this.isUp;
  readonly settings = () => this.now;
  readonly warning = () => this.warned;
  readonly users = () => this.used;

  async stop(): Promise<void> {
    this.isUp = false;
  }

  async start(): Promise<void> {
    if (this.failure !== undefined) {
      throw Object.assign(new Error(this.failure.message), { code: this.failure.code });
    }
    this.isUp = true;
  }

  async startWith(settings: ServerSettings): Promise<void> {
    this.now = settings;
    await this.start();
  }

  async startOnNextPort(): Promise<void> {
    this.failure = undefined;
    await this.startWith({ ...this.now, port: this.now.port + 1 });
  }

  async makeKey(): Promise<string> {
    this.failure = undefined;
    return "mk-secret";
  }
}

const taken = { message: "Port 11434 is already in use.", code: "SERVER_PORT_TAKEN" };

test("the program's own server is stopped, and started on the next port if its own is taken", async () => {
  const control = new SampleControl();
  const { screen } = await openServerScreen({ sharedServer: idle, serverOptions: { control } });
  screen.type("S");
  await screen.until("Stop the server on");
  screen.type("y");
  await screen.until("The server is stopped · S start");
  control.failure = taken;
  screen.type("S");
  await screen.until("Port 11434 is already in use. · p use next free port");
  await screen.until("p next port");
  screen.type("p");
  await screen.until("The server is listening on");
  expect([control.isUp, control.now.port]).toEqual([true, 11435]);
  await screen.until((now) => !now.text.includes("is taken"));
});

test("settings are changed one by one, and the server restarts with them", async () => {
  const control = new SampleControl();
  const { screen } = await openServerScreen({ sharedServer: idle, serverOptions: { control } });
  const enter = async (after: string | RegExp): Promise<void> => {
    screen.type(keys.enter);
    await screen.until(after);
  };
  screen.type("o");
  await screen.until("Server settings (until you quit)");
  expect(screen.text).not.toContain("Start with these settings");
  screen.type("Port");
  await screen.until("> Port");
  await enter("> 11434");
  screen.type("port");
  await enter("'port' is not a port");
  expect(screen.text).toContain("> port");
  screen.type("\u001512000");
  await enter(/Port +12000/);
  screen.type("require a key");
  await screen.until("> Require a key");
  await enter("always, except for your own commands");
  screen.type("always");
  await screen.until("> always");
  await enter("Start with these settings");
  await enter("Restart the server on 127.0.0.1:12000?");
  screen.type("y");
  await screen.until("The server is listening on");
  expect(control.now).toMatchObject({ host: "127.0.0.1", port: 12_000, requireKey: "true" });
});

test("a public server needs a key, which a key press creates", async () => {
  const control = new SampleControl();
  control.isUp = false;
  control.failure = { message: "There is no key to ask them for.", code: "SERVER_NO_KEY" };
  const { screen } = await openServerScreen({ sharedServer: idle, serverOptions: { control } });
  screen.type("S");
  await screen.until("There is no key to ask them for. · n create key");
  screen.type("n");
  await screen.until("New key (shown once): mk-secret");
  screen.type("y");
  await screen.until("The server is listening on");
  expect(screen.bytes).toContain(Buffer.from("mk-secret").toString("base64"));
  control.warned = "Anybody who can reach 0.0.0.0:11434 can use this server without a key";
  await screen.until("! Anybody who can reach 0.0.0.0:11434 can use this server");
});

test("the example of an empty log is copied, and settings of another program's server are refused", async () => {
  const { screen, server } = await openServerScreen({ sharedServer: idle });
  await screen.until("Press y to copy it.");
  screen.type("y");
  await screen.until(/Copied \d+ characters/);
  const [encoded = ""] = screen.bytes.split("\u001b]52;c;")[1]?.split("\u0007") ?? [];
  expect(Buffer.from(encoded, "base64").toString()).toContain(`curl ${server.url}/v1/chat`);
  screen.type("o");
  await screen.until("Another program runs this server");
});

test("a screen reader gets an open request in whole lines, and the selected one", async () => {
  const { screen, server } = await openApp({
    isScreenReader: true,
    sharedServer: recording,
  });
  screen.type(altThree);
  await screen.until("Screen: Server");
  await server.ask("What is 2 + 3?");
  await screen.until(/Selected: r-\S+ POST \/api\/generate/);
  screen.type(keys.enter);
  await screen.until("2 + 3 = 5");
  expect(screen.text).toContain("Prompt, as sent to the model");
  expect(screen.text).toContain("What is 2 + 3?");
  expect(screen.text).not.toMatch(/[╭│─█▁]/);
});

test("the smallest window shows everything in place", async () => {
  const columns = 60;
  const app = await openServerScreen({ columns, rows: 16 });
  await app.server.send("/v1/models");
  await app.screen.until("1 of 1");
  const { lines } = app.screen;
  expect(lines[0]).toContain("[3 Server]");
  expect(lines.at(-1)).toContain("/ filter");
  expect(lines.every((line) => line.length <= columns)).toBe(true);
  expect(app.screen.text).toContain("TIME");
  expect(requests(app)).toHaveLength(1);
});

test.each([
  ["Esc", keys.escape, undefined],
  ["the first choice", keys.enter, { reason: "bye", transcript: [], keepsServer: true }],
  ["the second choice", keys.down + keys.enter, { reason: "bye", transcript: [] }],
])(
  "quitting asks while other clients are connected; %s decides",
  async (_name, bytes, expected) => {
    const control = new SampleControl();
    control.used = "2 requests of other clients run.";
    const { screen, result } = await openServerScreen({
      sharedServer: idle,
      serverOptions: { control },
    });
    screen.type(keys.ctrlD);
    await screen.until("Quit? 2 requests of other clients run.");
    screen.type(bytes);
    if (expected === undefined) {
      await screen.until((now) => !now.text.includes("Quit?"));
      expect(screen.isAlternate).toBe(true);
    } else await expect(result).resolves.toEqual(expected);
  },
);
