// Tests that typed, pasted and recalled text is sent unchanged, and that the cursor shows the place.
// Sends bytes as a terminal does to the whole screen in an in-memory terminal.

import { readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelChoice } from "../../../../source/chat/chat-backend.ts";
import { temporaryFolder } from "../../../support/model-store.ts";
import { ask, openChat } from "../../support/open-chat.ts";
import { ScriptedBackend } from "../../support/scripted-backend.ts";
import { keys } from "../../support/sized-terminal.ts";

/** Row and column of the first cell of the field, in a window of 100x30. */
const field = { x: 4, y: 26 };

describe("typing", () => {
  test("wide characters moves the cursor by their width", async () => {
    const { screen } = await openChat();
    await screen.typeUntil("a漢字", "> a漢字");
    await screen.until(({ cursor }) => cursor.x === field.x + 5 && cursor.y === field.y);
    await screen.typeUntil(keys.left, ({ cursor }) => cursor.x === field.x + 3);
    await screen.typeUntil(keys.backspace, "> a字");
  });

  test("and deleting handles an emoji as one character", async () => {
    const { screen, backend } = await openChat();
    await screen.typeUntil("hi 👩‍👩‍👧👍🏽", "hi");
    screen.type(keys.backspace + keys.backspace);
    await screen.typeUntil("!\r", () => backend.answers.length === 1);
    expect(backend.current.messages).toEqual([{ role: "user", content: "hi !" }]);
  });

  test("many keys at once keeps their order", async () => {
    const { screen, backend } = await openChat();
    screen.type("worl");
    screen.type("d");
    screen.type("\x01");
    screen.type("hello ");
    await screen.typeUntil("\x05!\r", () => backend.answers.length === 1);
    expect(backend.current.messages).toEqual([{ role: "user", content: "hello world!" }]);
  });

  test.each([
    ["Ctrl+J", keys.ctrlJ],
    ["Alt+Enter", keys.altEnter],
    ["a backslash and Enter", `\\${keys.enter}`],
    ["Shift+Enter of the kitty protocol", "\x1b[13;2u"],
  ])("%s inserts a line break", async (_name, bytes) => {
    const { screen, backend } = await openChat();
    await screen.typeUntil("one", "> one");
    await screen.typeUntil(bytes, ({ cursor }) => cursor.x === field.x && cursor.y === field.y);
    await screen.typeUntil("two", /> one *│\n│ {3}two/);
    await screen.until(({ cursor }) => cursor.x === field.x + 3 && cursor.y === field.y);
    expect(backend.answers).toHaveLength(0);
    await screen.typeUntil(keys.enter, () => backend.answers.length === 1);
    expect(backend.current.messages).toEqual([{ role: "user", content: "one\ntwo" }]);
  });

  test("a long text keeps the cursor's row visible", async () => {
    const { screen } = await openChat({ columns: 60, rows: 16 });
    screen.type(keys.paste(Array.from({ length: 12 }, (_, row) => `line ${row}`).join("\n")));
    await screen.until("line 11");
    expect(screen.text).not.toContain("line 0\n");
    expect(screen.lines[0]).toContain("modelctl");
    for (let row = 0; row < 11; row += 1) screen.type(keys.up);
    await screen.until(/> ?line 0/);
  });
});

describe("pasting", () => {
  test("several lines inserts one text and sends nothing", async () => {
    const { screen, backend } = await openChat();
    screen.type(keys.paste("first\rsecond\r\nthird\n"));
    await screen.until(/> first *│\n│ {3}second *│\n│ {3}third/);
    expect(backend.answers).toHaveLength(0);
    await screen.typeUntil(`end${keys.enter}`, () => backend.answers.length === 1);
    expect(backend.current.messages).toEqual([
      { role: "user", content: "first\nsecond\nthird\nend" },
    ]);
  });

  test("removes control characters", async () => {
    const { screen, backend } = await openChat();
    await screen.typeUntil(keys.paste("a\x1b[31mb\x07\x00c"), "> a[31mbc");
    await screen.typeUntil(keys.enter, () => backend.answers.length === 1);
    expect(backend.current.messages).toEqual([{ role: "user", content: "a[31mbc" }]);
  });

  test("without bracketed paste does not send either", async () => {
    const { screen, backend } = await openChat();
    await screen.typeUntil("one\rtwo\rthree\r", /> one *│\n│ {3}two *│\n│ {3}three/);
    expect(backend.answers).toHaveLength(0);
  });
});

describe("earlier messages", () => {
  test("return with Up, also in the next session, several lines as one entry", async () => {
    const folder = temporaryFolder();
    const historyFile = join(folder, "new folder", "history");
    const first = await openChat({ historyFile });
    first.screen.type(`two${keys.ctrlJ}lines`);
    await first.screen.typeUntil(keys.enter, () => first.backend.answers.length === 1);
    first.backend.current.text("ok").done();
    await first.screen.until("context 43/4096");
    first.screen.type("/bye\r");
    await first.result;
    expect((await stat(historyFile)).mode & 0o777).toBe(0o600);
    expect(await readFile(historyFile, "utf8")).toBe('"two\\nlines"\n"/bye"\n');

    const second = await openChat({ historyFile });
    second.screen.type("my draft");
    await second.screen.typeUntil(keys.up, "> /bye");
    await second.screen.typeUntil(keys.up, /> two *│\n│ {3}lines/);
    await second.screen.typeUntil(keys.down + keys.down, "> my draft");
  });

  test("report an unreadable history without stopping the chat", async () => {
    const chat = await openChat({ historyFile: tmpdir() });
    await chat.screen.until("Cannot read the prompt history");
    await ask(chat, "hello");
  });
});

test("Tab offers the examples of an empty chat and completes commands", async () => {
  const { screen } = await openChat({ examplePrompts: ["Sing.", "Dance."] });
  expect(screen.text).toContain("tiny\n context window 4096 tokens\n Tells short stories.");
  await screen.typeUntil(keys.tab, "> Sing.");
  await screen.typeUntil(keys.tab, "> Dance.");
  screen.type("\x15/cl");
  await screen.typeUntil(keys.tab, "> /clear");
});

test("a text file after @ is attached and counted, and a missing one is reported first", async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, "notes.txt"), "Buy milk.\n");
  await writeFile(join(folder, "data.bin"), Buffer.from([0xff, 0x00]));
  const scripted = new ScriptedBackend();
  scripted.countTokens = async ([message]) => message?.content.length ?? 0;
  const { screen, backend } = await openChat({ folder, scripted });
  screen.type("Read @gone.txt\r");
  await screen.until("Not found: gone.txt. Press Enter again to send only the text.");
  await screen.typeUntil("\x15Read @data.bin\r", "data.bin is neither text nor an image.");
  expect(backend.answers).toHaveLength(0);
  await screen.typeUntil("\x15What is in @notes.txt?\r", "attached notes.txt, 28 tokens");
  await screen.until("What is in @notes.txt?");
  expect(screen.text).not.toContain("Buy milk.");
  expect(backend.current.messages).toEqual([
    { role: "user", content: "What is in @notes.txt?\n\nnotes.txt:\n```\nBuy milk.\n```" },
  ]);
});

test("unsent text is restored next time", async () => {
  const folder = temporaryFolder();
  const historyFile = join(folder, "history");
  const first = await openChat({ historyFile });
  await first.screen.typeUntil("half a thought", "> half a thought");
  first.screen.hangUp();
  await first.result;
  const second = await openChat({ historyFile });
  await second.screen.typeUntil(keys.up, "> half a thought");
});

test("a menu below the field completes commands: arrows choose, Tab accepts, Esc closes", async () => {
  const { screen } = await openChat();
  await screen.typeUntil("/se", "> /sessions");
  await screen.typeUntil(keys.down, "> /set  ");
  await screen.typeUntil(keys.escape, (shown) => !shown.text.includes("/sessions"));
  expect(screen.text).toContain("> /se ");
  await screen.typeUntil("s", "> /sessions");
  await screen.typeUntil(keys.tab, "> /sessions ");
  await screen.typeUntil("\x15/cle\r", "> /clear ");
});

test.each([keys.tab, keys.enter])(
  "%j typed before the menu opens still accepts its first item",
  async (key) => {
    const scripted = new ScriptedBackend();
    const models = Promise.withResolvers<readonly ModelChoice[]>();
    scripted.models = () => models.promise;
    const { screen, backend } = await openChat({ scripted });
    await screen.typeUntil(`/model lar${key}`, "> /model lar");
    models.resolve([{ name: "large", sizeText: "20 GB" }]);
    await screen.until("> /model large ");
    expect(backend.facts.name).toBe("tiny");
  },
);
