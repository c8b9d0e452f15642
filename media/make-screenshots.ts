// Draws a picture of every screen: runs the built program in its own terminal and types into it. Usage: npm run build && npm run screenshots
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { drawTerminal, terminalLines } from "./draw-terminal.ts";

const columns = 110;
const rows = 32;
const port = 11_939;
const gatewayPort = 18_939;
const longestWaitMs = 30_000;
const escapeKey = "\u001b";
const rightKey = "\u001b[C";

// Hides the path of this clone, since a picture shows the built-in model's path.
const folder = path.join(tmpdir(), "modelctl");
symlinkSync(path.join(import.meta.dirname, ".."), folder);
const home = mkdtempSync(path.join(tmpdir(), "modelctl-screenshots-"));
const environment = {
  PATH: process.env.PATH,
  HOME: home,
  TERM: "xterm-256color",
  FORCE_COLOR: "1",
  LANG: "C.UTF-8",
  CI: "false",
  MODELCTL_HOST: `127.0.0.1:${port}`,
  DEPLOYCTL_LISTEN: `127.0.0.1:${gatewayPort}`,
  // Lets a picture show a request with its prompt and answer.
  MODELCTL_LOG_PROMPTS: "1",
};
const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
const program = spawn(
  process.execPath,
  [
    "--preserve-symlinks",
    "--preserve-symlinks-main",
    path.join(folder, "dist", "cli.js"),
    "run",
    "tiny",
  ],
  {
    cols: columns,
    rows,
    cwd: home,
    env: environment,
  },
);
let raw = "";
program.onData((data) => {
  raw += data;
  terminal.write(data);
});
terminal.onData((data) => program.write(data));

try {
  await until("takes keys", () => raw.includes("\u001b[?2004h"));
  await shows("Send a message");
  await ask("What is the capital of France?", "Paris.");
  await ask("Write a poem.", "it is spring.");
  await ask("List three colors.", "Blue");
  await shows("RAM");
  picture("chat", "A chat with the built-in model, and how fast it answers");

  program.write("\u0010");
  await shows("Commands");
  picture("palette", "The palette: every command, to be found by typing");
  await leave("Commands");

  await callTool();

  program.write(`${escapeKey}2`);
  await shows("[2 Models]");
  await shows("Template");
  picture("models", "The models on this machine, and what one of them needs");

  await askFromOutside();
  program.write(`${escapeKey}3`);
  await shows("[3 Server]");
  await shows("/v1/chat/completions");
  await shows("404");
  // Waits for enough samples for a line.
  await wait(4000);
  picture("server", "The server: throughput, scheduler, memory, and every request");

  program.write("/status:ok path:/v1\r");
  await shows("filter status:ok path:/v1");
  program.write("\r");
  await shows("Prompt, as sent to the model");
  picture("request", "A request in full: its phases, the prompt as sent to the model, the answer");

  await deployApps();
  program.write(`${escapeKey}5`);
  await shows("[5 Console]");
  await shows("> assistant");
  const token = await deployctl("keys", "create", "--scope", "api", "--desc", "ci", "--quiet");
  await askApp(token);
  picture("console", "The console: deployments, their replicas and why, keys, the log");

  await answerDeployScreen();
  picture(
    "deploy",
    "The deploy screen: three steps, the checks before the launch, and the equivalent command",
  );
  await launch();
  picture("launch", "A launch: its phases, its log, and a test request to the new app");
} finally {
  program.write("\u0003\u0003");
  program.kill();
  await deployctl("down", "--force");
  unlinkSync(folder);
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);

/** Switches a tool server on, and lets the model call its tool; the picture shows the question. */
async function callTool(): Promise<void> {
  const server = path.join(import.meta.dirname, "..", "test", "support", "weather-server.ts");
  const servers = { weather: { command: process.execPath, args: [server, "calm"] } };
  mkdirSync(path.join(home, ".config", "modelctl"), { recursive: true });
  const file = path.join(home, ".config", "modelctl", "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  await send("/new");
  await shows("For example");
  await switchServer("[x] get_weather");
  await send("What is the weather in Paris?");
  await shows("y run once");
  picture("tools", "A tool call: what the model wants to run, and what you can decide");
  program.write("y");
  await shows("The tool says");
  await shows("Enter send");
  await switchServer("[ ] weather");
}

/** Switches the first server on or off. */
async function switchServer(shown: string): Promise<void> {
  await send("/tools");
  await shows("Add a server");
  program.write("\r");
  await shows(shown);
  await leave("Add a server");
}

/** Sends requests as other programs would. */
async function askFromOutside(): Promise<void> {
  const send = (where: string, body: unknown) =>
    fetch(`http://127.0.0.1:${port}${where}`, { method: "POST", body: JSON.stringify(body) });
  const question = (content: string) => ({ messages: [{ role: "user", content }] });
  await send("/v1/chat/completions", { model: "tiny", ...question("What is 2 + 3?") });
  await send("/v1/chat/completions", {
    model: "tiny",
    ...question("What is the capital of Italy?"),
  });
  await send("/v1/chat/completions", { model: "qwen3:8b", ...question("Hello") });
  await send("/api/generate", { model: "tiny", prompt: "Count from 1 to 5.", stream: false });
  await send("/api/chat", { model: "tiny", ...question("My name is Ada."), stream: false });
}

/** @returns its output */
async function deployctl(...words: string[]): Promise<string> {
  const entry = path.join(folder, "dist", "deployctl.js");
  const symlinks = ["--preserve-symlinks", "--preserve-symlinks-main"];
  const options = { cwd: home, env: environment };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...symlinks, entry, ...words],
    options,
  );
  return stdout.trim();
}

/** Deploys three apps: one that answers, one that sleeps, one that fails. */
async function deployApps(): Promise<void> {
  await deployctl("init", "--model", "tiny");
  await deployctl("deploy", "deploy.py", "--app-name", "assistant", "--min-concurrency", "1");
  await deployctl("deploy", "deploy.py", "--app-name", "sleeper", "--keep-alive", "1s");
  const broken =
    "import deployctl\n\n\n@deployctl.app(port=8000)\ndef serve():\n    import torch\n";
  writeFileSync(path.join(home, "vision.py"), broken);
  // Fails on purpose.
  await deployctl("deploy", "vision.py").catch(() => {});
}

/** Keeps the app busy long enough for a line of figures. */
async function askApp(token: string): Promise<void> {
  const url = `http://127.0.0.1:${gatewayPort}/local/assistant/v1/chat/completions`;
  const messages = [{ role: "user", content: "Write a poem." }];
  for (let round = 0; round < 40; round += 1) {
    const body = JSON.stringify({ model: "tiny", messages });
    const headers = { authorization: `Key ${token}`, "content-type": "application/json" };
    const calls = Array.from({ length: 1 + (round % 4) }, () =>
      fetch(url, { method: "POST", headers, body }).then((reply) => reply.text()),
    );
    await Promise.all(calls);
    await wait(200);
  }
}

/** Goes through the wizard from a script to the review, through scaling. */
async function answerDeployScreen(): Promise<void> {
  program.write(`${escapeKey}4`);
  await shows("1 of 3");
  program.write("deploy.py");
  await shows("> Script  deploy.py");
  await next("> Name");
  program.write("\u0015notes");
  await shows("notes is available.");
  await next("Ready to launch");
  program.write("a");
  await shows("every check and its result");
  program.write("scaling\r");
  await shows("Advanced  Scaling");
  // Chooses among: as in the script, cheapest, responsive.
  program.write(rightKey);
  await shows("< Cheapest >");
  program.write(rightKey);
  await shows("< Responsive >");
  await next("Ready to launch");
}

async function launch(): Promise<void> {
  await next("notes is live");
  program.write("t");
  await shows("POST /v1/chat/completions 200");
}

/** Presses Enter and waits for the next step. */
async function next(...titles: string[]): Promise<void> {
  for (const title of titles) {
    program.write("\r");
    await shows(title);
  }
}

async function ask(question: string, answer: string): Promise<void> {
  await send(question);
  await shows(answer);
  await shows("Enter send");
}

/** Types a line, and sends it once it is on the screen. */
async function send(line: string): Promise<void> {
  program.write(line);
  await shows(`> ${line}`);
  program.write("\r");
}

async function leave(title: string): Promise<void> {
  program.write(escapeKey);
  await until(`leaving ${title}`, () => !terminalLines(terminal).join("\n").includes(title));
}

async function shows(text: string): Promise<void> {
  await until(`showing ${JSON.stringify(text)}`, () =>
    terminalLines(terminal).join("\n").includes(text),
  );
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += 50) {
    if (holds()) return;
    await wait(50);
  }
  throw new Error(`${what} did not happen:\n${terminalLines(terminal).join("\n")}`);
}

function picture(name: string, title: string): void {
  writeFileSync(
    path.join(import.meta.dirname, `${name}.svg`),
    drawTerminal(terminal, `${title}, in a terminal`),
  );
}
