// Goal: Tab completes paths, with any characters in their names.
// Method: a folder of files; texts with a cursor.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  completePath,
  pathBeforeCursor,
} from "../../../source/client/attachments/complete-path.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "completing-"));
  await mkdir(path.join(folder, "pictures"));
  for (const name of ["cat one.png", "cat two.png", "dog.png", ".hidden", "pictures/sea.jpg"]) {
    await writeFile(path.join(folder, name), "");
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function complete(text: string): Promise<string | undefined> {
  const found = pathBeforeCursor(text, text.length);
  if (found === undefined) return undefined;
  return text.slice(0, found.start) + (await completePath(found, folder)).typed;
}

describe("path completion", () => {
  it.each([
    ["see ./d", "see ./dog.png"],
    ["see ./c", "see ./cat\\ "],
    ["see ./cat\\ o", "see ./cat\\ one.png"],
    ['see "./cat o', 'see "./cat one.png'],
    ["see @p", "see @pictures/"],
    ["see @pictures/", "see @pictures/sea.jpg"],
    ["/image do", "/image dog.png"],
    ["./.h", "./.hidden"],
    ["./nothing", "./nothing"],
    ["~", "~/"],
  ])("%j gives %j", async (text, completed) => {
    expect(await complete(text)).toBe(completed);
  });

  it("leaves other words alone", async () => {
    expect(await complete("what is it")).toBeUndefined();
    expect(await complete("")).toBeUndefined();
  });

  it("lists matches", async () => {
    expect((await completePath({ typed: "./", quote: "" }, folder)).matches).toEqual([
      "cat one.png",
      "cat two.png",
      "dog.png",
      "pictures/",
    ]);
  });
});
