// The console as a person meets it: the built deployctl in a pseudo-terminal starts a control plane,
// sees a deployment of the tiny model come, chats with it, and stays while the control plane is killed.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";
import { repositoryFolder } from "../support/command-line.ts";
import { openTerminal, type TestTerminal } from "../support/pty.ts";
import { until } from "../support/until.ts";

const entry = path.join(repositoryFolder, "dist", "source", "cli", "deployctl.js");
const openConsole = "\u001b5";
/** Foreground and background colours: 30 to 37, 40 to 47, 90 to 107, and those with numbers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are the subject here
const colour = /\u001b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m/;

let cloud: CloudHome;
beforeAll(async () => {
  cloud = await CloudHome.create();
  await cloud.json(["init", "--model", "tiny"]);
});
afterAll(async () => await cloud.remove());

async function open(
  environment: Record<string, string> = {},
  columns = 80,
  rows = 24,
): Promise<TestTerminal> {
  return await openTerminal([], {
    shell: `exec '${process.execPath}' '${entry}'`,
    home: cloud.folder,
    columns,
    rows,
    environment: { ...cloud.home.environment, ...cloud.environment, ...environment },
  });
}

async function controlPlane(): Promise<number> {
  return (await cloud.json<{ processId: number }>(["status"])).processId;
}

/** The gateway's log of requests; it is made with the first of them. */
function accessLog(): string {
  const file = path.join(cloud.stateFolder, "logs", "access.log");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

it("starts, shows, chats, survives, and hands out a key, at 80x24 without colour", async () => {
  const terminal = await open({ NO_COLOR: "1" });
  try {
    await terminal.shows("The control plane does not run.");
    await terminal.takesKeys();
    expect(terminal.text()).toContain("[5 Console]");
    terminal.type("S");
    await terminal.shows("Nothing is deployed yet.");

    await cloud.json(["deploy", "deploy.py", "--app-name", "tiny", "--min-concurrency", "1"]);
    await terminal.shows("> tiny");
    await until(terminal.text, (text) => /> tiny +● ready +1\/2/.test(text));
    await terminal.shows("is active.");

    terminal.type("\r");
    await terminal.shows("[1 Chat]");
    await terminal.send("What is the capital of France?");
    await terminal.shows("The capital of France is Paris.");
    await until(accessLog, (log) => log.includes("/v1/chat/completions"));
    terminal.type(openConsole);
    await terminal.shows("[5 Console]");

    process.kill(await controlPlane(), "SIGKILL");
    await terminal.shows("No control plane answers on this machine");
    expect(terminal.text()).toMatch(/> tiny +● ready/);
    terminal.type("S");
    await terminal.showsNot("No control plane answers");
    await until(terminal.text, (text) => /> tiny +● ready +1\/2/.test(text));

    terminal.type("n");
    await terminal.shows("Calling local/tiny alone");
    terminal.type("\r");
    await terminal.shows("What is it for?");
    terminal.type("laptop");
    await terminal.shows("> laptop");
    terminal.type("\r");
    await terminal.shows("It expires");
    terminal.type("\r");
    await terminal.shows("It is shown this once");
    const [token = ""] = /dk_\S{61}/.exec(terminal.text()) ?? [];
    const reply = await fetch(`http://127.0.0.1:${cloud.gatewayPort}/local/tiny/v1/models`, {
      headers: { authorization: `Key ${token}` },
    });
    expect(reply.status).toBe(200);
    terminal.type("\r");
    await terminal.showsNot("It is shown this once");
    expect(terminal.raw()).not.toMatch(colour);
    terminal.type("\u0004");
    expect(await terminal.exited).toBe(0);
  } finally {
    await terminal.close();
  }
});

it("tells the same in lines for a screen reader, and stops what is to be stopped", async () => {
  const terminal = await open({ INK_SCREEN_READER: "true" }, 100, 40);
  try {
    await terminal.shows("tiny: ready, 1 of at most 2 replicas ready, revision r0001");
    await terminal.takesKeys();
    terminal.type("x");
    await terminal.shows("Stop local/tiny?");
    terminal.type("y");
    await terminal.shows("tiny: stopped");
    expect(terminal.text()).not.toMatch(/[│╭▁█]/);
    expect(await cloud.json(["apps", "show", "tiny"])).toMatchObject({ state: "PAUSED" });
  } finally {
    await terminal.close();
  }
});
