// Console: the built deployctl in a pseudo-terminal starts a control plane, shows a deployment of the tiny
// model, chats with it, and survives the control plane's end.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";
import { openDeployctl } from "../support/cloud-terminal.ts";
import { until } from "../support/until.ts";

const openChat = "\u001b1";
const openConsole = "\u001b5";
const savedChats = "\u001bs";
/** Foreground and background colours: 30 to 37, 40 to 47, 90 to 107, and those with numbers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are the subject here
const colour = /\u001b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m/;

let cloud: CloudHome;
beforeAll(async () => {
  cloud = await CloudHome.create();
  await cloud.json(["init", "--model", "tiny"]);
});
afterAll(async () => await cloud.remove());

async function controlPlane(): Promise<number> {
  return (await cloud.json<{ processId: number }>(["status"])).processId;
}

/** The gateway's access log, which is created with the first request. */
function accessLog(): string {
  const file = path.join(cloud.stateFolder, "logs", "access.log");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

it("starts the server, chats, survives a restart, and creates a key, at 80x24 without colour", async () => {
  const terminal = await openDeployctl(cloud, { environment: { NO_COLOR: "1" } });
  try {
    await terminal.shows("The control plane is not running.");
    expect(terminal.text()).toContain("[5 Console]");
    terminal.type("S");
    await terminal.shows("No deployments yet.");

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

    const killed = await controlPlane();
    process.kill(killed, "SIGKILL");
    await until(
      async () => await controlPlane().catch(() => killed),
      (id) => id !== killed,
    );
    await terminal.shows("adopted as process");
    await until(terminal.text, (text) => /> tiny +● ready +1\/2/.test(text));

    terminal.type("n");
    await terminal.shows("Call local/tiny only");
    terminal.type("\r");
    await terminal.shows("Name of the key");
    terminal.type("laptop");
    await terminal.shows("> laptop");
    terminal.type("\r");
    await terminal.shows("Key expires");
    terminal.type("\r");
    await terminal.shows("It is shown only once");
    const [token = ""] = /dk_\S{61}/.exec(terminal.text()) ?? [];
    const reply = await fetch(`http://127.0.0.1:${cloud.gatewayPort}/local/tiny/v1/models`, {
      headers: { authorization: `Key ${token}` },
    });
    expect(reply.status).toBe(200);
    terminal.type("\r");
    await terminal.showsNot("It is shown only once");
    expect(terminal.raw()).not.toMatch(colour);
    terminal.type("\u0004");
    expect(await terminal.exited).toBe(0);
  } finally {
    await terminal.close();
  }
});

it("resumes a deployment's chat without a stored key once the deployment answers", async () => {
  const folder = path.join(cloud.home.stateFolder, "sessions");
  const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), "utf8"));
  expect(kept).toHaveLength(1);
  expect(kept[0]).toContain('"deployment":{"profile":"local","app":"local/tiny"');
  expect(kept[0]).not.toMatch(/dk_/);
  const terminal = await openDeployctl(cloud, { environment: { NO_COLOR: "1" } });
  try {
    terminal.type(openChat);
    await terminal.shows("Press Alt+S to resume a saved chat.");
    terminal.type(savedChats);
    await terminal.shows("Resume a saved chat");
    await terminal.shows("local/tiny tiny");
    terminal.type("\r");
    await terminal.shows("The capital of France is Paris.");
    await terminal.send("What is 2 + 3?");
    await terminal.shows("2 + 3 = 5");
  } finally {
    await terminal.close();
  }
});

it("reads everything out as lines for a screen reader and stops an app", async () => {
  const terminal = await openDeployctl(cloud, {
    environment: { INK_SCREEN_READER: "true" },
    columns: 100,
    rows: 40,
  });
  try {
    await terminal.shows("tiny: ready, 1 of at most 2 replicas ready, revision r0001");
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
