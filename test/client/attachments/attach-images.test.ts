// Goal: the intended file is attached, and errors are reported.
// Method: real image files in a separate folder, prompts as people type them.
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachToPrompt } from "../../../source/client/attachments/attach-images.ts";
import { attachedText, readImageFile } from "../../../source/client/attachments/read-image-file.ts";
import { imageFile } from "../../support/load-vision.ts";
import { asOrdinaryUser } from "../../support/ordinary-user.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "attachments-"));
  await mkdir(path.join(folder, "my pictures (old)"));
  await copyFile(imageFile("red.png"), path.join(folder, "cat.png"));
  await copyFile(imageFile("red.png"), path.join(folder, "my cat.png"));
  await copyFile(imageFile("blue-wide.jpg"), path.join(folder, "my pictures (old)", "sea.jpg"));
  await writeFile(path.join(folder, "text.png"), "I am no image.");
  await writeFile(path.join(folder, "empty.png"), "");
  await writeFile(
    path.join(folder, "drawing.svg"),
    '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>',
  );
});
afterAll(() => rm(folder, { recursive: true }));

const mentioned = async (prompt: string, takesBareNames = true) => {
  const { text, images, missing } = await attachToPrompt(prompt, { folder, takesBareNames });
  return { text, names: images.map(({ name }) => name), missing };
};

describe("a prompt", () => {
  it.each([
    ["what is in ./cat.png?", "what is in ?", ["cat.png"]],
    ["./cat.png what is it", "what is it", ["cat.png"]],
    ["what is cat.png", "what is", ["cat.png"]],
    ["look at my cat.png please", "look at please", ["my cat.png"]],
    ["look at ./my\\ cat.png please", "look at please", ["my cat.png"]],
    ['look at "my cat.png" please', "look at please", ["my cat.png"]],
    ["look at 'my cat.png' please", "look at please", ["my cat.png"]],
    ["see @cat.png now", "see now", ["cat.png"]],
    ["see .\\cat.png now", "see now", ["cat.png"]],
    ["see my\\ pictures\\ \\(old\\)/sea.jpg", "see", ["sea.jpg"]],
    ["see my pictures (old)/sea.jpg", "see", ["sea.jpg"]],
    ["and/or ./cat.png", "and/or", ["cat.png"]],
    ["./cat.png and ./cat.png again", "and again", ["cat.png"]],
    ["compare ./cat.png, ./my cat.png!", "compare , !", ["cat.png", "my cat.png"]],
    ["nothing to see", "nothing to see", []],
  ])("%j", async (prompt, text, names) => {
    expect(await mentioned(prompt)).toEqual({ text, names, missing: [] });
  });

  it("reports paths that do not exist, but not words that may not be paths", async () => {
    expect(await mentioned("see ./dog.png and ~/none/x.jpg and bird.png")).toEqual({
      text: "see ./dog.png and ~/none/x.jpg and bird.png",
      names: [],
      missing: ["./dog.png", "~/none/x.jpg"],
    });
  });

  it("ignores bare names for a model without vision", async () => {
    expect((await mentioned("which rule makes cat.png?", false)).names).toEqual([]);
    expect((await mentioned("what is ./cat.png?", false)).names).toEqual(["cat.png"]);
  });

  it("finds a file by its absolute path and by its URL", async () => {
    const file = path.join(folder, "my cat.png");
    expect((await mentioned(`see ${file}`)).names).toEqual(["my cat.png"]);
    expect((await mentioned(`see file://${encodeURI(file)}`)).names).toEqual(["my cat.png"]);
  });
});

describe("/image", () => {
  const named = async (argument: string) => {
    const { text, names } = await mentioned(`/image ${argument}`);
    return { text, names };
  };

  it.each([
    ["cat.png what is it", "what is it", ["cat.png"]],
    ["my cat.png what is it", "what is it", ["my cat.png"]],
    ["my\\ cat.png what is it", "what is it", ["my cat.png"]],
    ['"my cat.png" what is it', "what is it", ["my cat.png"]],
    ["'./my cat.png' what is it", "what is it", ["my cat.png"]],
    ["@cat.png what is it", "what is it", ["cat.png"]],
    ["cat.png", "", ["cat.png"]],
    ["cat.png or my pictures (old)/sea.jpg?", "or ?", ["cat.png", "sea.jpg"]],
  ])("%j", async (argument, text, names) => {
    expect(await named(argument)).toEqual({ text, names });
  });

  it.each([
    ["dog.png what", "File dog.png does not exist."],
    ["text.png what", "text.png is not an image."],
    ["empty.png what", "empty.png is empty."],
    ["drawing.svg what", "drawing.svg is an image in the unsupported format svg"],
  ])("%j is refused in one sentence", async (argument, sentence) => {
    await expect(named(argument)).rejects.toThrow(sentence);
  });
});

describe("an image file", () => {
  it("that is too large, truncated, or has too many pixels is refused", async () => {
    const large = path.join(folder, "large.png");
    await writeFile(large, Buffer.alloc(30 * 2 ** 20));
    await expect(readImageFile(large)).rejects.toThrow(
      "large.png is too large: 31 MB, the limit for images is 21 MB",
    );
    const noise = await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: "red",
        noise: { type: "gaussian", mean: 128, sigma: 30 },
      },
    })
      .png()
      .toBuffer();
    const cut = path.join(folder, "cut.png");
    await writeFile(cut, noise.subarray(0, noise.length / 2));
    await expect(readImageFile(cut)).rejects.toThrow("cut.png is damaged or cut off.");
    const vast = path.join(folder, "vast.png");
    // A header that announces more pixels than follow: they are counted before they are read.
    noise.writeUInt32BE(16_000, 16);
    noise.writeUInt32BE(7_000, 20);
    noise.writeUInt32BE(crc32(noise.subarray(12, 29)), 29);
    await writeFile(vast, noise);
    await expect(readImageFile(vast)).rejects.toThrow("vast.png is too large: 16000 x 7000 pixels");
  });

  it("that is unreadable is reported", async () => {
    const file = path.join(folder, "secret.png");
    await copyFile(imageFile("red.png"), file);
    await chmod(file, 0);
    await asOrdinaryUser(folder, async () => {
      await expect(readImageFile(file)).rejects.toThrow("permission denied");
    });
  });

  it("reports its size after rotation", async () => {
    const file = path.join(folder, "turned.jpg");
    await sharp({ create: { width: 40, height: 20, channels: 3, background: "blue" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toFile(file);
    const image = await readImageFile(file);
    expect(attachedText(image)).toBe("attached turned.jpg 20x40");
    expect(attachedText(image, 256)).toBe("attached turned.jpg 20x40, 256 tokens");
  });
});
