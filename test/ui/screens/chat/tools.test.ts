// Calls of tools on the chat screen, with a scripted model and no real tools: cards, keys, results.
import { expect, test } from "vitest";
import type { ChatTools } from "../../../../source/chat/chat-backend.ts";
import type { CallQuestion, Decision } from "../../../../source/chat/conversation/call-text.ts";
import { ToolSet } from "../../../../source/tools/tool-set.ts";
import { ask, type OpenChat, type OpenChatOptions, openChat } from "../../support/open-chat.ts";
import { ScriptedBackend } from "../../support/scripted-backend.ts";
import { keys } from "../../support/sized-terminal.ts";

const tool = {
  server: "files",
  origin: "node files.js",
  name: "write",
  description: "Writes a file",
  inputSchema: {},
  isReadOnly: false,
};
const values = { path: "/etc/passwd", text: "a\u001b[2Jb" };

interface Opened extends OpenChat {
  readonly tools: ChatTools;
  /** Asks as the backend does, and resolves with the decision. */
  readonly call: (change?: Partial<CallQuestion>) => Promise<Decision>;
}

interface Options extends OpenChatOptions {
  /** There is a project's file to ask about. */
  readonly project?: boolean;
}

async function open(options: Options = {}): Promise<Opened> {
  const file = { file: "/home/me/.mcp.json", servers: [], problems: [], digest: "" };
  const set = new ToolSet({
    find: async (mayUse) => {
      if (options.project) await mayUse(file);
      return { servers: [], problems: [] };
    },
    folder: "/home/me",
    startTimeoutMs: 10_000,
    maxResultBytes: 1000,
  });
  const tools: ChatTools = {
    set,
    ask: undefined,
    tell: () => undefined,
    forgetChat: () => undefined,
    find: (confirm) => set.find(async () => await confirm("Use them?")),
  };
  const chat = await openChat({ ...options, tools });
  const call = async (change: Partial<CallQuestion> = {}) => {
    const { signal } = chat.backend.current;
    const question = { tool, arguments: values, isFromText: false, ...change };
    chat.backend.current
      .event({ type: "tool-call", name: "files__write", arguments: question.arguments })
      .event({ type: "tool-start", name: "files__write", server: "files" });
    await chat.screen.until("files: write");
    if (tools.ask === undefined) throw new Error("The screen does not ask.");
    return await tools.ask(question, signal);
  };
  return { ...chat, tools, call };
}

const result = (text: string) =>
  ({
    type: "tool-result",
    name: "files__write",
    server: "files",
    arguments: values,
    text,
    isError: false,
  }) as const;

test("A card lays out arguments, marks paths outside the folder, and shows escapes as text", async () => {
  const chat = await open({ folder: "/home/me" });
  await ask(chat, "Write");
  chat.backend.current.text("I will write it.");
  const decision = chat.call();
  await chat.screen.until("y run once  a always in this chat");
  expect(chat.screen.text).toMatch(/I will write it\.\n ╭─ files: write ─+╮/);
  expect(chat.screen.text).toContain("│ path: /etc/passwd ! (outside this folder)");
  expect(chat.screen.text).toContain("│ text: a^[[2Jb");
  chat.screen.type("A");
  expect(await decision).toEqual({ kind: "always", arguments: values });
  await chat.screen.until("running 0 s");
});

test("A call from plain text, or of a tool that always asks, can only be run once", async () => {
  const chat = await open();
  await ask(chat, "Write");
  const fromText = chat.call({ isFromText: true });
  await chat.screen.until("y run once  e edit  n refuse");
  expect(chat.screen.text).toContain("The model wrote this call as plain text");
  // Neither letter decides.
  chat.screen.type("a");
  chat.screen.type("A");
  chat.screen.type("y");
  expect(await fromText).toMatchObject({ kind: "once" });
  chat.backend.current.event(result("done"));
  const always = chat.call({ tool: { ...tool, alwaysAsks: true } });
  await chat.screen.until("y run once  e edit  n refuse");
  chat.screen.type("n");
  await chat.screen.until("Refuse files: write.");
  chat.screen.type("\r");
  expect(await always).toEqual({ kind: "no", reason: "" });
});

test("A text that is being typed keeps the keys until Tab", async () => {
  const chat = await open();
  await ask(chat, "Write");
  await chat.screen.typeUntil("yes, and", "> yes, and");
  const decision = chat.call();
  await chat.screen.until("Tab decides about the call");
  await chat.screen.typeUntil("y", "> yes, andy");
  await chat.screen.typeUntil("\t", "n refuse  Esc stop");
  chat.screen.type("y");
  expect(await decision).toMatchObject({ kind: "once" });
  await chat.screen.until("> yes, andy");
});

test("A long result is folded to five lines, and Enter opens it", async () => {
  const chat = await open();
  await ask(chat, "Read");
  void chat.call().catch(() => undefined);
  await chat.screen.until("n refuse");
  chat.screen.type("y");
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
  chat.backend.current
    .event(result(lines.join("\n")))
    .text("Read.")
    .done();
  await chat.screen.until("… 7 more lines: Tab, then Enter to open");
  expect(chat.screen.text).toMatch(/→ line 1 .*\n.* line 5 .*\n.*… 7 more lines/s);
  expect(chat.screen.text).not.toContain("line 6");
  await chat.screen.typeUntil("\t", "Enter expand");
  await chat.screen.typeUntil("\r", "line 12");
  await chat.screen.typeUntil("\r", "… 7 more lines");
});

test("Esc stops an answer whose call waits; what is sent next has a result for the call", async () => {
  const chat = await open();
  await ask(chat, "Write");
  const decision = chat.call();
  const stopped = expect(decision).rejects.toThrow();
  await chat.screen.until("n refuse");
  chat.screen.type("\u001b");
  await stopped;
  await chat.screen.until("⊘ cancelled");
  await ask(chat, "And now?");
  expect(chat.backend.current.messages).toMatchObject([
    { role: "user", content: "Write" },
    { role: "assistant", tool_calls: [{ function: { name: "files__write" } }] },
    { role: "tool", content: "Cancelled by the user.", tool_name: "files__write" },
    { role: "user", content: "And now?" },
  ]);
});

test("/tools switches servers and tools, and tells what their descriptions cost", async () => {
  const { screen, tools } = await open({
    scripted: new ScriptedBackend({ contextLength: 1000 }),
  });
  screen.type("/tools\r");
  await screen.until("[ ] files");
  expect(screen.text).toContain("off, built in");
  expect(screen.text).toContain("Add a server: modelctl mcp add NAME -- COMMAND");
  await screen.typeUntil(keys.enter, "Tools: 300 of 1,000 tokens");
  expect(screen.text).toContain("ready, 3 tools, 300 tokens");
  expect(screen.text).toContain("! Descriptions take 30 % of the window");
  expect(tools.set.offered.map(({ name }) => name)).toContain("read_file");
  screen.type(keys.down);
  await screen.typeUntil(keys.enter, "Tools: 200 of 1,000 tokens");
  expect(screen.text).toContain("[ ] read_file");
  expect(screen.text).not.toContain("Descriptions take");
  expect(tools.set.offered.map(({ name }) => name)).toEqual(["list_files", "search_files"]);
  screen.type(keys.up);
  await screen.typeUntil(keys.enter, "[ ] files");
  expect(tools.set.servers).toEqual([]);
});

test("/tools says so if the model calls none, and asks about a project's servers first", async () => {
  const backend = new ScriptedBackend();
  backend.hasTools = false;
  const { screen } = await open({ scripted: backend, project: true });
  screen.type("/tools\r");
  await screen.until("Use them?");
  await screen.typeUntil("n", "tiny calls no tools");
  expect(screen.text).toContain("[ ] files");
});

test("/prompt without prompts says where they come from", async () => {
  const { screen } = await open();
  screen.type("/prompt\r");
  await screen.until("No prompts: switch a server with prompts on (/tools).");
});
