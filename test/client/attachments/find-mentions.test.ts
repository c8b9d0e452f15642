// Goal: the path in a prompt is among its readings.
// Method: typed and dropped prompts, without files.
import { describe, expect, it } from "vitest";
import { findMentions } from "../../../source/client/attachments/find-mentions.ts";

/** Returns the typed paths of all readings, by mention. */
function readings(text: string): string[][] {
  return findMentions(text).map((mention) => mention.readings.map(({ typed }) => typed));
}

describe("a path in a prompt", () => {
  it.each([
    ["at its end", "what is in ./cat.png", "./cat.png"],
    ["before a question mark", "what is in ./cat.png?", "./cat.png"],
    ["at its beginning", "/tmp/c.PNG what is it", "/tmp/c.PNG"],
    ["behind other slashes", "is this and/or that? /tmp/c.png", "/tmp/c.png"],
    ["from the home", "look at ~/a.jpeg now", "~/a.jpeg"],
    ["from the folder above", "see ../a.webp", "../a.webp"],
    ["without a folder", "describe cat.gif please", "cat.gif"],
    ["with blanks", "open /home/me/my cat.png now", "/home/me/my cat.png"],
    ["with escaped blanks", "open /home/me/my\\ cat.png", "/home/me/my\\ cat.png"],
    ["of Windows", "what is C:\\pictures\\y.png", "C:\\pictures\\y.png"],
    ["in brackets", "the picture (./b.png) here", "./b.png"],
    ["behind an at sign", "what is @pics/b.png", "pics/b.png"],
    ["as a URL of a file", "see file:///tmp/a%20b.png", "file:///tmp/a%20b.png"],
    ["in Chinese", "看 图/猫.png 吧", "图/猫.png"],
    ["before the rest of a sentence", "./a.png, and then", "./a.png"],
  ])("is read %s", (_, text, path) => {
    expect(readings(text)[0]).toContain(path);
  });

  it("in quotes is read with its blanks, and its quotes are removed", () => {
    const text = "compare \"/tmp/a b.png\" and 'c d.jpg'";
    const [first, second] = findMentions(text);
    expect(first?.readings[0]?.typed).toBe("/tmp/a b.png");
    expect(second?.readings[0]?.typed).toBe("c d.jpg");
    const [reading] = first?.readings ?? [];
    expect(text.slice(reading?.start, reading?.end)).toBe('"/tmp/a b.png"');
  });

  it("with escapes is replaced as a whole", () => {
    expect(findMentions("see my\\ cat.png")[0]?.plain.typed).toBe("my\\ cat.png");
  });

  it("is not found in addresses, other endings and an ending alone", () => {
    for (const text of [
      "https://example.com/cat.png",
      "a.png.gz",
      "what is a .png file",
      "a.pngx",
      "./pictures.png/inside",
      "no path at all",
    ]) {
      expect(findMentions(text), text).toEqual([]);
    }
  });

  it("is found once for each of several", () => {
    expect(findMentions("a.png b.png c.png")).toHaveLength(3);
  });
});

it("a line of a megabyte is scanned in linear time", () => {
  const text = `${"word ".repeat(200_000)}./cat.png`;
  expect(findMentions(text)[0]?.plain.typed).toBe("./cat.png");
});
