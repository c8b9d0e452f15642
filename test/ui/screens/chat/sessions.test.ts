// Tests that chats can be closed and resumed without loss, even in two terminals.
// Runs the whole screen in an in-memory terminal with real files and a scripted model.
import { copyFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { SessionStore } from "../../../../source/chat/sessions/session-store.ts";
import { imageBytes, imageFile } from "../../../support/load-vision.ts";
import { temporaryFolder } from "../../../support/model-store.ts";
import { until } from "../../../support/until.ts";
import { ask, type OpenChat, openChat, say } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

let folder: string;
let sessions: SessionStore;
beforeEach(() => {
  // Removed after the screens are closed, which save their chats.
  folder = temporaryFolder();
  sessions = new SessionStore(folder);
});

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
    await first.screen.typeUntil("/set parameter temperature 0.3\r", "Set parameter");
    await say(first, "what is in ./cat.png?", "Something red.");
    await first.screen.typeUntil("/rename My cat\r", "Renamed this chat to 'My cat'.");
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
    await chat.screen.typeUntil("\u000e", "For example");
    await say(chat, "Explain RoPE", "Rotary.");
    await until(
      () => sessions.list(),
      (list) =>
        list.sessions.length === 2 && list.sessions.every((head) => head.messageCount === 2),
    );
    expect(await names()).toEqual(["Explain RoPE", "Plan the release"]);
    await chat.screen.typeUntil("/sessions kangaroo\r", "Resume a saved chat");
    expect(chat.screen.text).not.toMatch(/│.*Explain RoPE/);
    await chat.screen.typeUntil(keys.escape, ({ text }) => !text.includes("Resume a saved chat"));
    // The list of all chats searches their texts too.
    await chat.screen.typeUntil("\u001bs", /│.*Explain RoPE/);
    await chat.screen.typeUntil("kangaroo", /> kangaroo[\s\S]*> Plan the release +Kangaroo\. │/);
    expect(chat.screen.text).not.toMatch(/│.*Explain RoPE/);
    await chat.screen.typeUntil(keys.enter, "Resumed 'Plan the release'.");
    await ask(chat, "more");
    expect(chat.backend.current.messages.map(({ content }) => content)).toEqual([
      "Plan the release",
      "Kangaroo.",
      "more",
    ]);
  });

  test("is deleted from the list after a confirmation, unless it is open", async () => {
    const chat = await openChat({ sessions });
    await say(chat, "Plan the release", "Kangaroo.");
    await chat.screen.typeUntil("\u000e", "For example");
    await say(chat, "Explain RoPE", "Rotary.");
    await until(
      () => sessions.list(),
      (list) => list.sessions.length === 2 && list.sessions[0]?.messageCount === 2,
    );
    await chat.screen.typeUntil("\u001bs", "Ctrl+X delete");
    await chat.screen.typeUntil("\u0018", "Delete the chat 'Explain RoPE' with 2 messages?");
    await chat.screen.typeUntil("y", "This chat is open. Start another one first (Ctrl+N).");
    await chat.screen.typeUntil(keys.down, "> Plan the release");
    await chat.screen.typeUntil("\u0018", "Delete the chat 'Plan the release'");
    await chat.screen.typeUntil("n", "> Plan the release");
    expect(await names()).toContain("Plan the release");
    await chat.screen.typeUntil("\u0018", "Delete the chat 'Plan the release'");
    await chat.screen.typeUntil("y", "1 of 1");
    expect(chat.screen.text).not.toContain("Plan the release");
    expect(await names()).toEqual(["Explain RoPE"]);
  });

  test("is forked at a message, and the original stays complete", async () => {
    const chat = await openChat({ sessions });
    await say(chat, "one", "first answer");
    await say(chat, "two", "second answer");
    await chat.screen.typeUntil(keys.tab, "f fork");
    await chat.screen.typeUntil("kk", "▌first answer");
    await chat.screen.typeUntil("f", (screen) => !screen.text.includes("second answer"));
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
    await until(
      () => sessions.list(),
      (list) => list.sessions[0]?.messageCount === 4,
    );
    await say(second, "from the second", "ok");
    await second.screen.until("saved as 'one (copy)'");
    await leave(first);
    await leave(second);
    expect((await names()).toSorted()).toEqual(["one", "one (copy)"]);
  });

  test("is not saved after /set nohistory", async () => {
    const historyFile = path.join(folder, "history");
    const chat = await openChat({ sessions, historyFile });
    await chat.screen.typeUntil("/set nohistory\r", "Set 'nohistory' mode.");
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
    await chat.screen.typeUntil("/export chat.md\r", "Exported to");
    expect(await readFile(path.join(folder, "chat.md"), "utf8")).toBe(
      "# hello\n\nModel: tiny\n\n## You\n\nhello\n\n## Assistant\n\n**hi**\n",
    );
    await chat.screen.typeUntil("/export chat.json\r", "chat.json");
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
    await chat.screen.typeUntil("/export chat.md\r", "already exists. Choose another name.");
    chat.screen.type("\u0015/export chat.doc\r");
    await chat.screen.until("Use a file name that ends in .md or .json.");
  });
});
