// Formats of sizes, times and paths.
import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import { formatBytes, formatMemory } from "../../source/base/byte-format.ts";
import { looksLikePath, toAbsolutePath } from "../../source/base/file-path.ts";
import { formatGoDuration, formatMilliseconds } from "../../source/base/time-format.ts";

describe("sizes", () => {
  test.each([
    [0, "0 B"],
    [512, "512 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [4_700_000_000, "4.7 GB"],
    [2_000_000_000, "2 GB"],
    [13_000_000_000, "13 GB"],
    [986_000_000, "986 MB"],
    [1_933_632, "1.9 MB"],
    [5e15, "5000 TB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test("are never a thousand of one unit", () => {
    for (const bytes of [999, 999.6, 999_499, 999_500, 999_999, 999_500_000, 999_999_999_999]) {
      expect(formatBytes(bytes)).not.toMatch(/^1000 /);
    }
  });
});

describe("sizes of memory", () => {
  test.each([
    [512, "512 B"],
    [1024, "1 KiB"],
    [32 * 2 ** 20, "32 MiB"],
    [23.5 * 2 ** 30, "24 GiB"],
    [1000 * 2 ** 20, "1 GiB"],
    [2 ** 41, "2 TiB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(formatMemory(bytes)).toBe(text);
  });
});

describe("durations", () => {
  test.each([
    [0, "0µs"],
    [0.0567, "56.7µs"],
    [56.7, "56.7ms"],
    [1234, "1.234s"],
    [60_000, "1m0s"],
    [125_500, "2m5.5s"],
  ])("%d ms are %s in Go's form", (milliseconds, text) => {
    expect(formatGoDuration(milliseconds)).toBe(text);
  });

  test.each([
    [0, "0 ms"],
    [182.4, "182 ms"],
    [1840, "1.84 s"],
    [125_000, "2 m 05 s"],
  ])("%d ms are %s", (milliseconds, text) => {
    expect(formatMilliseconds(milliseconds)).toBe(text);
  });

  test("are never a thousand milliseconds or sixty seconds", () => {
    for (const milliseconds of [999.4, 999.5, 999.99, 59_994, 59_995, 59_999.9]) {
      expect(formatMilliseconds(milliseconds)).not.toMatch(/^1000 ms$|^60\.00 s$/);
    }
  });
});

describe("paths", () => {
  test.each([
    ["/a", true],
    ["./a", true],
    ["../a", true],
    ["~/a", true],
    ["a.gguf", true],
    ["A.GGUF", true],
    ["sub\\a", true],
    ["C:\\a", true],
    ["tiny", false],
    ["owner/model", false],
    ["model:8b", false],
    ["a.gguf.txt", false],
  ])("%s: %s", (text, expected) => {
    expect(looksLikePath(text)).toBe(expected);
  });

  test("become absolute, from a folder or from home", () => {
    expect(toAbsolutePath("a.gguf", "/here")).toBe("/here/a.gguf");
    expect(toAbsolutePath("../a.gguf", "/here/sub")).toBe("/here/a.gguf");
    expect(toAbsolutePath("/x/../a.gguf")).toBe("/a.gguf");
    expect(toAbsolutePath("~/a.gguf")).toBe(`${homedir()}/a.gguf`);
    expect(toAbsolutePath("~")).toBe(homedir());
  });
});
