// Tests that saved chats with a deployment are found, shown and resumed, even if the deployment is down.
// Runs the whole program in an in-memory terminal with real files and a control plane that stops.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { SessionStore } from "../../../source/chat/sessions/session-store.ts";
import { until } from "../../support/until.ts";
import { SampleServer, sampleCloud } from "../screens/console/sample-cloud.ts";
import { runInTerminal } from "../support/run-in-terminal.ts";
import { keys, SizedTerminal } from "../support/sized-terminal.ts";

const openChat = "\u001b1";
const savedChats = "\u001bs";
const deployment = {
  profile: "local",
  app: "local/tiny",
  url: "http://127.0.0.1:8480/local/tiny",
};

let folder: string;
let sessions: SessionStore;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "deployment-chats-"));
  // Runs after the screens are closed, which save their chats.
  onTestFinished(() => rmSync(folder, { recursive: true }));
  sessions = new SessionStore(folder);
});

async function keepChat(): Promise<void> {
  const firstMessage = "Where is the key?";
  const begun = sessions.begin({ model: "tiny", firstMessage, nowMs: Date.now() });
  const session = { ...begun, deployment };
  const messages = [
    { role: "user", content: firstMessage },
    { role: "assistant", content: "Under the mat." },
  ] as const;
  await sessions.save({ ...session, messageCount: 2, messages }, 0);
}

async function open(server: SampleServer): Promise<SizedTerminal> {
  const screen = new SizedTerminal(100, 30);
  const options = { cloud: sampleCloud(server), kept: { sessions }, first: "console" } as const;
  await runInTerminal(screen, options, "[5 Console]");
  screen.type(openChat);
  await screen.until("Press Alt+S to resume a saved chat.");
  return screen;
}

test("says that there is no saved chat", async () => {
  const screen = await open(new SampleServer());
  screen.type(savedChats);
  await screen.until("No saved chats with a deployment.");
});

test("continues, and new messages are saved with it", async () => {
  await keepChat();
  const server = new SampleServer();
  const screen = await open(server);
  screen.type(savedChats);
  await screen.until("> Where is the key?");
  screen.type(keys.enter);
  await screen.until("Under the mat.");
  screen.type("Which mat?\r");
  await screen.until(() => server.backend.answers.length === 1);
  server.backend.current.text("The blue one.").done();
  await screen.until("The blue one.");
  const { sessions: kept } = await until(
    () => sessions.list(),
    ({ sessions: [head] }) => head?.messageCount === 4,
  );
  expect(kept).toMatchObject([{ deployment }]);
});

test("can be read after its deployment was deleted, which is shown", async () => {
  await keepChat();
  const server = new SampleServer();
  server.isGone = true;
  const screen = await open(server);
  screen.type(savedChats);
  await screen.until("> Where is the key?");
  screen.type(keys.enter);
  await screen.until("local/tiny is not responding");
  expect(screen.text).toContain("Under the mat.");
});
