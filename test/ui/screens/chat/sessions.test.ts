// Tests that chats can be closed and resumed without loss, even in two terminals.
// Runs the whole screen in an in-memory terminal with real files and a scripted model.
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { SessionStore } from "../../../../source/sessions/session-store.ts";
import { imageBytes, imageFile } from "../../../support/load-vision.ts";
import { until } from "../../../support/until.ts";
import { ask, type OpenChat, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

let folder: string;
let sessions: SessionStore;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "chat-sessions-"));
  sessions = new SessionStore(folder);
  // Runs after the screens are closed, which save their chats.
  onTestFinished(() => rm(folder, { recursive: true }));
});

async function say(chat: OpenChat, question: string, answer: string): Promise<void> {
  await ask(chat, question);
  await chat.screen.until("Enter queue");
  chat.backend.current.text(answer).done();
  await chat.screen.until("Enter send");
}

async function leave(chat: OpenChat): Promise<void> {
  chat.screen.type("/bye\r");
  await chat.result;
}

/** The names of the saved chats, the last used first. */
async function names(): Promise<string[]> {
  return (await sessions.list()).sessions.map(({ name }) => name);
}

describe("a chat", () => {
  test("is saved continuously and resumed later with settings and images", async () => {
    await copyFile(imageFile("red.png"), path.join(folder, "cat.png"));
    const first = await openChat({ sessions, folder });
    first.screen.type("/set parameter temperature 0.3\r");
    await first.screen.until("Set parameter");
    await say(first, "what is in ./cat.png?", "Something red.");
    first.screen.type("/rename My cat\r");
    await first.screen.until("Renamed this chat to 'My cat'.");
    await leave(first);
    const { id } = await sessions.find("my cat");

    const second = await openChat({ sessions, folder, session: { id } });
    await second.screen.until("Resumed 'My cat'.");
    expect(second.screen.text).toContain("attached cat.png 64x64, 36 tokens");
    expect(second.screen.text).toContain("Something red.");
    await ask(second, "and now?");
    expect(second.backend.current.messages).toEqual([
      {
        role: "user",
        content: "what is in ?",
        images: [imageBytes("red.png").toString("base64")],
      },
      { role: "assistant", content: "Something red." },
      { role: "user", content: "and now?" },
    ]);
    expect(second.backend.current.settings.parameters).toEqual({ temperature: 0.3 });
  });

  test("shows the names of its text files again, not their texts", async () => {
    await writeFile(path.join(folder, "notes.txt"), "Buy milk.\n");
    const first = await openChat({ sessions, folder });
    await say(first, "What is in @notes.txt?", "Milk.");
    await first.screen.until(/attached notes\.txt, \d+ tokens/);
    await say(first, "Thanks.", "Welcome.");
    await leave(first);
    const [head] = (await sessions.list()).sessions;
    const second = await openChat({ sessions, folder, session: { id: head?.id ?? "" } });
    await second.screen.until(/attached notes\.txt, \d+ tokens?\n What is in @notes\.txt\?/);
    expect(second.screen.text).not.toContain("Buy milk.");
  });

  test("keeps the question when the program dies during the answer", async () => {
    const chat = await openChat({ sessions });
    await ask(chat, "Count");
    chat.backend.current.text("one two");
    await chat.screen.until("one two");
    chat.screen.hangUp();
    await chat.result;
    const [head] = (await sessions.list()).sessions;
    const { session } = await sessions.load(head?.id ?? "");
    expect(session.messages.map(({ content, ending }) => [content, ending])).toEqual([
      ["Count", undefined],
      ["one two", "stopped"],
    ]);
  });

  test("starts over with Ctrl+N, and the old one is resumed from the list", async () => {
    const chat = await openChat({ sessions });
    await say(chat, "Plan the release", "Kangaroo.");
    chat.screen.type("\u000e");
    await chat.screen.until("For example");
    await say(chat, "Explain RoPE", "Rotary.");
    await until(
      () => sessions.list(),
      (list) =>
        list.sessions.length === 2 && list.sessions.every((head) => head.messageCount === 2),
    );
    expect(await names()).toEqual(["Explain RoPE", "Plan the release"]);
    chat.screen.type("/sessions kangaroo\r");
    await chat.screen.until("Resume a saved chat");
    expect(chat.screen.text).not.toMatch(/│.*Explain RoPE/);
    chat.screen.type(keys.escape);
    await chat.screen.until(({ text }) => !text.includes("Resume a saved chat"));
    // The list of all chats searches their texts too.
    chat.screen.type("\u001bs");
    await chat.screen.until(/│.*Explain RoPE/);
    chat.screen.type("kangaroo");
    await chat.screen.until(/> kangaroo[\s\S]*> Plan the release/);
    expect(chat.screen.text).not.toMatch(/│.*Explain RoPE/);
    chat.screen.type(keys.enter);
    await chat.screen.until("Resumed 'Plan the release'.");
    await ask(chat, "more");
    expect(chat.backend.current.messages.map(({ content }) => content)).toEqual([
      "Plan the release",
      "Kangaroo.",
      "more",
    ]);
  });

  test("is forked at a message, and the original stays complete", async () => {
    const chat = await openChat({ sessions });
    await say(chat, "one", "first answer");
    await say(chat, "two", "second answer");
    chat.screen.type(keys.tab);
    await chat.screen.until("f fork");
    chat.screen.type("kk");
    await chat.screen.until("▌first answer");
    chat.screen.type("f");
    await chat.screen.until((screen) => !screen.text.includes("second answer"));
    await chat.screen.until("Forked as 'one (fork)'");
    await say(chat, "three", "third answer");
    await leave(chat);
    const contents = async (name: string) => {
      const { session } = await sessions.load((await sessions.find(name)).id);
      return session.messages.map(({ content }) => content);
    };
    expect(await contents("one (fork)")).toEqual(["one", "first answer", "three", "third answer"]);
    const [original] = (await sessions.list()).sessions.filter(({ name }) => name === "one");
    const { session } = await sessions.load(original?.id ?? "");
    expect(session.messages).toHaveLength(4);
    expect(session.messages[3]?.content).toBe("second answer");
  });

  test("opened twice is saved as two", async () => {
    const first = await openChat({ sessions });
    await say(first, "one", "first answer");
    const { sessions: saved } = await until(
      () => sessions.list(),
      (list) => list.sessions[0]?.messageCount === 2,
    );
    const id = saved[0]?.id ?? "";
    const second = await openChat({ sessions, session: { id } });
    await second.screen.until("first answer");
    await say(first, "from the first", "ok");
    await say(second, "from the second", "ok");
    await second.screen.until("saved as 'one (copy)'");
    await leave(first);
    await leave(second);
    expect((await names()).toSorted()).toEqual(["one", "one (copy)"]);
  });

  test("is not saved after /set nohistory", async () => {
    const historyFile = path.join(folder, "history");
    const chat = await openChat({ sessions, historyFile });
    chat.screen.type("/set nohistory\r");
    await chat.screen.until("Set 'nohistory' mode.");
    await say(chat, "my secret", "ok");
    await leave(chat);
    expect(await names()).toEqual([]);
    expect(await readFile(historyFile, "utf8").catch(() => "")).not.toContain("secret");
  });

  test("starts with the given name", async () => {
    const chat = await openChat({ sessions, session: { name: "Release" } });
    await say(chat, "hello", "hi");
    await leave(chat);
    expect(await names()).toEqual(["Release"]);
  });
});

describe("exporting", () => {
  test("writes Markdown or JSON and never overwrites a file", async () => {
    const chat = await openChat({ sessions, folder });
    await say(chat, "hello", "**hi**");
    chat.screen.type("/export chat.md\r");
    await chat.screen.until("Exported to");
    expect(await readFile(path.join(folder, "chat.md"), "utf8")).toBe(
      "# hello\n\nModel: tiny\n\n## You\n\nhello\n\n## Assistant\n\n**hi**\n",
    );
    chat.screen.type("/export chat.json\r");
    await chat.screen.until("chat.json");
    await until(
      () => readFile(path.join(folder, "chat.json"), "utf8").catch(() => ""),
      (text) => text !== "",
    );
    expect(JSON.parse(await readFile(path.join(folder, "chat.json"), "utf8"))).toMatchObject({
      model: "tiny",
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: "**hi**" },
      ],
    });
    chat.screen.type("/export chat.md\r");
    await chat.screen.until("already exists. Choose another name.");
    chat.screen.type("\u0015/export chat.doc\r");
    await chat.screen.until("Use a file name that ends in .md or .json.");
  });
});
