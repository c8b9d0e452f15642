// From an empty home to an answer of a downloaded model, in a pseudo-terminal and with a hub of our own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";
import type { HubFaults } from "../support/loopback-hub-requests.ts";
import { freePort, openTerminal, type TestTerminal } from "../support/pty.ts";
import { numberedTiny } from "../support/tiny-variants.ts";

const endKey = "\u001b[F";
const openModels = "\u001b2";

async function startHub(faults?: HubFaults): Promise<LoopbackHub> {
  const gguf = { total: 950_000, architecture: "llama", chat_template: "{{ messages }}" };
  const facts = { downloads: 5000, lastModified: new Date().toISOString(), tags: ["gguf"], gguf };
  const repository = { files: { "Nano-Q8_0.gguf": numberedTiny(8) }, facts };
  const hub = await startLoopbackHub({
    repositories: { "unsloth/Nano-GGUF": repository },
    ...(faults && { faults }),
  });
  onTestFinished(async () => await hub.close());
  return hub;
}

async function htmlHub(): Promise<string> {
  return (await startHub(() => ({ status: 200, body: "<html>Sign in</html>" }))).url;
}

async function silentHub(): Promise<string> {
  const port = await freePort();
  const server = createServer(() => {}).listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}`;
}

/** Has a home without models, whose memory need not be measured any more. */
async function open(endpoint: string): Promise<TestTerminal> {
  const home = mkdtempSync(path.join(tmpdir(), "modelctl-first-"));
  const cpu = { bytesPerSecond: 60e9, answers: 0 };
  mkdirSync(path.join(home, ".cache", "modelctl"), { recursive: true });
  writeFileSync(
    path.join(home, ".cache", "modelctl", "speed.json"),
    JSON.stringify({ version: 1, devices: { cpu }, models: {} }),
  );
  const environment = { HF_ENDPOINT: endpoint };
  const terminal = await openTerminal([], { columns: 80, rows: 24, home, environment });
  onTestFinished(async () => {
    await terminal.close();
    rmSync(home, { recursive: true, force: true });
  });
  return terminal;
}

test("a model is recommended, downloaded and answers; a found file is added", async () => {
  const chat = await open((await startHub()).url);
  mkdirSync(path.join(chat.home, "Downloads"));
  writeFileSync(path.join(chat.home, "Downloads", "Mine Q8.gguf"), numberedTiny(9));
  await chat.shows("Models for this machine");
  await chat.shows("> best       Nano-GGUF:Q8_0");
  expect(chat.text()).toMatch(/SIZE +MEMORY +TOK\/S +DISK LEFT/);
  await chat.shows("Enter download and chat");
  chat.type("\r");
  await chat.shows("Switched to hf.co/unsloth/Nano-GGUF:Q8_0.");
  await chat.send("What is the capital of France?");
  await chat.shows("The capital of France is Paris.");

  chat.type(openModels);
  await chat.shows("not added");
  chat.type(endKey);
  await chat.shows("Enter add");
  chat.type("\r");
  await chat.shows("Add model as");
  chat.type("\r");
  await chat.shows("Added mine-q8, which refers to");
  await chat.showsNot("not added");
});

test.each<[string, () => Promise<string>, string]>([
  ["proxy answers HTML", htmlHub, "its reply is not JSON"],
  ["hub never answers", silentHub, "looking for models"],
])("tiny answers while a %s", async (_, start, says) => {
  const chat = await open(await start());
  await chat.shows(says);
  await chat.shows("context window");
  await chat.send("What is the capital of France?");
  await chat.shows("The capital of France is Paris.");
});
