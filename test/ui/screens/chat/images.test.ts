// Tests that images are sent if the model supports them, and that the user is told otherwise.
// Runs the whole screen in an in-memory terminal with real image files and a scripted model.
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { imageBytes, imageFile } from "../../../support/load-vision.ts";
import { ask, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

let folder: string;
const red = imageBytes("red.png").toString("base64");

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "chat-images-"));
  await copyFile(imageFile("red.png"), path.join(folder, "cat.png"));
  await copyFile(imageFile("blue-wide.jpg"), path.join(folder, "my sea.jpg"));
  await writeFile(path.join(folder, "text.png"), "no image");
});
afterAll(() => rm(folder, { recursive: true }));

describe("an image", () => {
  test.each([
    ["by its path in the message", "what is in ./cat.png?", "what is in ?"],
    ["by its bare name", "what is in cat.png?", "what is in ?"],
    ["with /image", "/image cat.png what is it", "what is it"],
    ["with an at sign", "see @cat.png now", "see now"],
  ])("%s is sent and counted", async (_, typed, sent) => {
    const chat = await openChat({ folder });
    await ask(chat, typed);
    expect(chat.backend.current.messages).toEqual([{ role: "user", content: sent, images: [red] }]);
    await chat.screen.until("attached cat.png 64x64, 36 tokens");
    chat.backend.current.text("A cat.").done();
    await chat.screen.until("A cat.");
    await ask(chat, "and now?");
    expect(chat.backend.current.messages[0]).toMatchObject({ images: [red] });
  });

  test("two in one message are sent in order", async () => {
    const chat = await openChat({ folder });
    await ask(chat, "compare cat.png and my sea.jpg");
    const sea = imageBytes("blue-wide.jpg").toString("base64");
    expect(chat.backend.current.messages[0]?.images).toEqual([red, sea]);
  });

  test("alone waits for its question", async () => {
    const chat = await openChat({ folder });
    chat.screen.type("/image cat.png\r");
    await chat.screen.until("attached cat.png 64x64: now write your message");
    expect(chat.screen.text).toContain("with cat.png");
    await ask(chat, "what is it");
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "what is it", images: [red] },
    ]);
  });

  test("that waits is kept when its question gets no answer", async () => {
    const chat = await openChat({ folder });
    await chat.screen.typeUntil("/image cat.png\r", "now write your message");
    await ask(chat, "what is it");
    await chat.screen.until((screen) => !screen.text.includes("with cat.png"));
    chat.backend.current.fail("Out of memory.");
    await chat.screen.until("with cat.png");
    await chat.screen.until("> what is it");
    await chat.screen.typeUntil(keys.enter, () => chat.backend.answers.length === 2);
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "what is it", images: [red] },
    ]);
  });

  test("returns to the field as its path when no answer comes", async () => {
    const chat = await openChat({ folder });
    await ask(chat, "what is in ./cat.png?");
    chat.backend.current.fail("Out of memory.");
    await chat.screen.until("> what is in ./cat.png?");
  });
});

describe("a message that cannot be sent stays in the field", () => {
  test("for a model without vision, until it is sent again without images", async () => {
    const chat = await openChat({ folder });
    chat.backend.canSee = false;
    chat.screen.type("what is in ./cat.png?\r");
    await chat.screen.until('"tiny" does not support images: cat.png was not sent.');
    expect(chat.screen.text).toContain("> what is in ./cat.png?");
    expect(chat.backend.answers).toHaveLength(0);
    await chat.screen.typeUntil(keys.enter, () => chat.backend.answers.length === 1);
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "what is in ./cat.png?" },
    ]);
  });

  test("every time when /image was used", async () => {
    const chat = await openChat({ folder });
    chat.backend.canSee = false;
    await chat.screen.typeUntil("/image cat.png what is it\r", "does not support images");
    await chat.screen.typeUntil("?", (screen) => !screen.text.includes("does not support"));
    await chat.screen.typeUntil(keys.backspace, "> /image cat.png what is it ");
    await chat.screen.typeUntil(keys.enter, "does not support images");
    expect(chat.backend.answers).toHaveLength(0);
  });

  test.each([
    ["/image dog.png what", "File dog.png does not exist."],
    ["/image text.png what", "text.png is not an image."],
    ["see ./text.png", "text.png is not an image."],
    ["see ./dog.png", "Not found: ./dog.png."],
    ["/image", "Which image?"],
  ])("%j", async (typed, sentence) => {
    const chat = await openChat({ folder });
    await chat.screen.typeUntil(`${typed}\r`, sentence);
    expect(chat.screen.text).toContain(`> ${typed}`);
    expect(chat.backend.answers).toHaveLength(0);
  });
});

test("a pasted file listing attaches nothing", async () => {
  const chat = await openChat({ folder });
  const listing = Array.from({ length: 40 }, (_, index) => `./build/${index}.png`).join("\n");
  await chat.screen.typeUntil(keys.paste(listing), "39.png");
  await chat.screen.typeUntil(keys.enter, "the message names 40 image files");
  await chat.screen.typeUntil(keys.enter, () => chat.backend.answers.length === 1);
  expect(chat.backend.current.messages).toEqual([{ role: "user", content: listing }]);
});

test("a screen reader gets the attached files", async () => {
  const chat = await openChat({ folder, isScreenReader: true });
  await ask(chat, "what is in ./cat.png?");
  chat.backend.current.text("A cat.").done();
  await chat.screen.until("You: what is in ? (attached cat.png 64x64, 36 tokens)");
});

test("a bare file name is plain text for a model without vision", async () => {
  const chat = await openChat({ folder });
  chat.backend.canSee = false;
  await ask(chat, "which rule makes cat.png?");
  expect(chat.backend.current.messages).toEqual([
    { role: "user", content: "which rule makes cat.png?" },
  ]);
});

test("Tab completes a path and lists matches", async () => {
  const { screen } = await openChat({ folder });
  await screen.typeUntil("see ./c", "> see ./c");
  await screen.typeUntil(keys.tab, "> see ./cat.png");
  await screen.typeUntil("\u0015see ./", "> see ./ ");
  await screen.typeUntil(keys.tab, /> \.\/cat\.png\s+\.\/my\\ sea\.jpg\s+\.\/text\.png/);
});
